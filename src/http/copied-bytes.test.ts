import { expect, test } from "bun:test";
import fc from "fast-check";
import { CopiedBytes } from "./copied-bytes.ts";

test("pieces of any sizes come to the same bytes", async () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.nat(300_000).map((size) => new Uint8Array(size).fill(7)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const bytes = new CopiedBytes();
      for (const each of pieces) bytes.push(each);
      const expected = Buffer.concat(pieces);
      expect(bytes.length).toBe(expected.length);
      expect(expected.equals(bytes.joined())).toBe(true);
      expect(expected.equals(await bytes.joinedInSteps())).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("many megabytes are joined in steps", async () => {
  const bytes = new CopiedBytes();
  const piece = Buffer.alloc(99_991, "abc");
  for (let count = 0; count < 100; count++) bytes.push(piece);
  const joined = await bytes.joinedInSteps();
  expect(joined.length).toBe(9_999_100);
  expect(Buffer.from(joined).equals(bytes.joined())).toBe(true);
});

test("a reused piece is copied", () => {
  const bytes = new CopiedBytes();
  const piece = Uint8Array.of(1);
  bytes.push(piece);
  piece[0] = 2;
  bytes.push(piece);
  expect([...bytes.joined()]).toEqual([1, 2]);
});
