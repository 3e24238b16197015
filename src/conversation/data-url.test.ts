import { expect, test } from "bun:test";
import { dataUrl, parseDataUrl, sourceOfUrl } from "./data-url.ts";

test("a base64 data URL is its media type and bytes, whatever its parameters", () => {
  expect(parseDataUrl("data:image/PNG;base64,AAAA")).toEqual({ mediaType: "image/png", base64: "AAAA" });
  expect(parseDataUrl("data:text/plain;charset=utf-8;base64,AAAA")).toEqual({
    mediaType: "text/plain",
    base64: "AAAA",
  });
  expect(parseDataUrl("data:;base64,AAAA")).toEqual({ mediaType: "text/plain", base64: "AAAA" });
});

test("anything else is no base64 data URL", () => {
  for (const url of ["https://a.b/c;base64,", "data:text/plain,hello", "data:image/png;base64", ""]) {
    expect(parseDataUrl(url)).toBeNull();
  }
});

test("both kinds of URL are sources", () => {
  expect(sourceOfUrl("https://a.b")).toEqual({ type: "url", url: "https://a.b" });
  expect(sourceOfUrl(dataUrl("image/gif", "AA=="))).toEqual({ type: "data", mediaType: "image/gif", base64: "AA==" });
});
