import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { piecesOf } from "./pieces.ts";
import { quarterMs } from "./rollup.ts";

test("the pieces of a range are the range, each aligned to its span, and little of it is read from records", () => {
  const time = fc.oneof(
    fc.nat({ max: 400_000_000 }),
    fc.nat({ max: 400 }).map((quarter) => quarter * quarterMs),
  );
  fc.assert(
    fc.property(time, time, (one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const pieces = piecesOf({ from, to });
      let at = from;
      for (const piece of pieces) {
        expect(piece.from).toBe(at);
        expect(piece.to).toBeGreaterThan(piece.from);
        if (piece.span === null) expect(piece.to - piece.from).toBeLessThan(2 * quarterMs);
        else expect([piece.from % piece.span, piece.to % piece.span]).toEqual([0, 0]);
        at = piece.to;
      }
      expect(at).toBe(to);
    }),
  );
});
