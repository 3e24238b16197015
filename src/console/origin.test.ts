import { describe, expect, test } from "bun:test";
import { checkReader, checkSameOrigin, siteOf } from "./origin.ts";

const site = { origin: "https://gateway.example", isSecure: true };

test("the site is the public URL, else what the request says", () => {
  const headers = new Headers({ host: "localhost:8787" });
  expect(siteOf(headers, null)).toEqual({ origin: "http://localhost:8787", isSecure: false });
  expect(siteOf(new Headers({ host: "a.example", "x-forwarded-proto": "https" }), null)).toEqual({
    origin: "https://a.example",
    isSecure: true,
  });
  expect(siteOf(headers, "https://gateway.example/")).toEqual(site);
  expect(siteOf(new Headers({ host: "a b" }), null)).toEqual({ origin: "http://localhost", isSecure: false });
});

describe("a request that changes something", () => {
  test.each([
    [{ origin: "https://gateway.example" }],
    [{ "sec-fetch-site": "same-origin" }],
    [{ origin: "https://gateway.example", "sec-fetch-site": "same-origin" }],
  ])("is taken with %j", (headers) => {
    expect(() => checkSameOrigin(new Headers(headers), site)).not.toThrow();
  });

  test.each([
    [{}],
    [{ origin: "null" }],
    [{ origin: "http://gateway.example" }],
    [{ origin: "https://gateway.example.evil.example" }],
    [{ origin: "https://gateway.example:8443" }],
    [{ "sec-fetch-site": "same-site" }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "none" }],
    [{ origin: "https://gateway.example", "sec-fetch-site": "cross-site" }],
    [{ origin: "https://evil.example", "sec-fetch-site": "same-origin" }],
  ])("is refused with %j", (headers) => {
    expect(() => checkSameOrigin(new Headers(headers), site)).toThrow("does not come from the console");
  });
});

describe("a request that reads", () => {
  test.each([[{}], [{ "sec-fetch-site": "none" }], [{ "sec-fetch-site": "same-origin" }]])(
    "is taken with %j",
    (headers) => {
      expect(() => checkReader(new Headers(headers), site)).not.toThrow();
    },
  );

  test.each([
    [{ "sec-fetch-site": "same-site" }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ origin: "https://a.example" }],
  ])("is refused with %j", (headers) => {
    expect(() => checkReader(new Headers(headers), site)).toThrow("a page of another site");
  });
});
