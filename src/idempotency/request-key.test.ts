import { expect, test } from "bun:test";
import { bodyHash, readIdempotencyKey } from "./request-key.ts";

const read = (key: string) => readIdempotencyKey(new Headers({ "Idempotency-Key": key }));

test("a key is 1 to 255 visible ASCII characters, or absent", () => {
  expect(readIdempotencyKey(new Headers())).toBeNull();
  for (const key of ["k", "!~", "x".repeat(255), "0b5c2f7e-6d51-4f43-9d4c-1d2f6a0b7c11"]) expect(read(key)).toBe(key);
});

test.each(["", "two words", "x".repeat(256), "schlüssel", "first, second"])(
  "%p is a 400 that names the header",
  (key) => {
    expect(() => read(key)).toThrow(
      expect.objectContaining({ status: 400, code: "invalid_parameter", param: "Idempotency-Key" }),
    );
  },
);

const path = "/v1beta/models/gemini-3:streamGenerateContent";
const hash = (query: string, body = "{}", at = path) => bodyHash(at, `http://gateway${at}${query}`, body);

test("the hash is the same for the same request with any API key and host", () => {
  expect(hash("")).toMatch(/^[0-9a-f]{64}$/);
  expect(hash("?alt=sse")).toBe(bodyHash(path, `https://other:8080${path}?key=secret&alt=sse`, "{}"));
  expect(hash("?key=secret")).toBe(hash(""));
});

test("the hash differs for another body, path or query", () => {
  const requests = [
    hash(""),
    hash("?alt=sse"),
    hash("", "{ }"),
    hash("", "{}", "/v1beta/models/gemini-2:generateContent"),
    hash("", "\0{}"),
  ];
  expect(new Set(requests).size).toBe(requests.length);
});
