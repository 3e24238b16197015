import { expect, test } from "bun:test";
import { bodyHash } from "./body-hash.ts";

const path = "/v1beta/models/gemini-3:streamGenerateContent";
const hash = (query: string, body = "{}", at = path) => bodyHash(at, `http://gateway${at}${query}`, body);

test("is the same for the same request, by whichever key and address it came", () => {
  expect(hash("")).toMatch(/^[0-9a-f]{64}$/);
  expect(hash("?alt=sse")).toBe(bodyHash(path, `https://other:8080${path}?key=secret&alt=sse`, "{}"));
  expect(hash("?key=secret")).toBe(hash(""));
});

test("is another one for another body, path or form of the answer", () => {
  const requests = [
    hash(""),
    hash("?alt=sse"),
    hash("", "{ }"),
    hash("", "{}", "/v1beta/models/gemini-2:generateContent"),
    hash("", "\0{}"),
  ];
  expect(new Set(requests).size).toBe(requests.length);
});
