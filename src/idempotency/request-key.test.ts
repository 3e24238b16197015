import { expect, test } from "bun:test";
import { readIdempotencyKey } from "./read-key.ts";

const read = (key: string) => readIdempotencyKey(new Headers({ "Idempotency-Key": key }));

test("a key is 1 to 255 visible ASCII characters, or is not there", () => {
  expect(readIdempotencyKey(new Headers())).toBeNull();
  for (const key of ["k", "!~", "x".repeat(255), "0b5c2f7e-6d51-4f43-9d4c-1d2f6a0b7c11"]) expect(read(key)).toBe(key);
});

test.each(["", "two words", "x".repeat(256), "schlüssel", "first, second"])("%p is refused by name", (key) => {
  expect(() => read(key)).toThrow(
    expect.objectContaining({ status: 400, code: "invalid_parameter", param: "Idempotency-Key" }),
  );
});
