import { expect, test } from "bun:test";
import fc from "fast-check";
import { Pieces } from "./pieces.ts";

const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2_000 })), {
  maxLength: 4_000,
  size: "max",
});

test("pieces of any sizes come out as they went in, at once and in steps", async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const [one, other] = [new Pieces(), new Pieces()];
      const given = lengths.map((length, place) => Buffer.alloc(length, place % 251));
      for (const piece of given) {
        one.push(piece);
        other.push(piece);
      }
      const all = Buffer.concat(given);
      expect(Buffer.concat(one.list).equals(all)).toBe(true);
      expect(all.equals(one.take())).toBe(true);
      expect(all.equals(await other.takeInSteps())).toBe(true);
      expect([one.length, other.length]).toEqual([0, 0]);
    }),
    { numRuns: 50 },
  );
});

test("many small pieces become few, and one alone is not copied", () => {
  const pieces = new Pieces();
  for (let count = 0; count < 1_000_000; count += 1) pieces.push(new Uint8Array(1));
  expect(pieces.length).toBeLessThan(2_001);
  expect(pieces.take()).toHaveLength(1_000_000);
  const alone = new Uint8Array(10);
  pieces.push(alone);
  expect(pieces.take()).toBe(alone);
});
