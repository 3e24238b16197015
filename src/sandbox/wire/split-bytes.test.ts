import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { splitBytes } from "./split-bytes.ts";

const splits = fc.oneof(
  fc.constantFrom("bytes" as const, "utf8" as const, "merge" as const, undefined),
  fc.integer({ min: 1, max: 9 }),
);

test("split bytes are the same when joined", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), splits, (text, split) => {
      const bytes = new TextEncoder().encode(text);
      expect(Buffer.concat([...splitBytes(bytes, split)]).equals(Buffer.from(bytes))).toBe(true);
    }),
  );
});

test("utf8 splits inside a character", () => {
  const parts = [...splitBytes(new TextEncoder().encode("aé€"), "utf8")];
  expect(parts.map((part) => part.length)).toEqual([2, 2, 2]);
});

test("bytes and numbers bound the length of a write", () => {
  const bytes = new Uint8Array(10);
  expect([...splitBytes(bytes, "bytes")]).toHaveLength(10);
  expect([...splitBytes(bytes, 4)].map((part) => part.length)).toEqual([4, 4, 2]);
});
