import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { piecesOf } from "./pieces.ts";
import { facetSpans, quarterMs, spans as plainSpans } from "./rollup.ts";

test.each([[plainSpans], [facetSpans]])(
  "with spans of %p ms, the pieces of a range are the range, each as long as may be and aligned to its span",
  (spans) => {
    const time = fc.oneof(
      fc.nat({ max: 400_000_000 }),
      fc.nat({ max: 400 }).map((quarter) => quarter * quarterMs),
      fc.nat({ max: 100 }).map((hour) => hour * 4 * quarterMs),
    );
    fc.assert(
      fc.property(time, time, (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const pieces = piecesOf({ from, to }, spans);
        let at = from;
        for (const piece of pieces) {
          expect(piece.from).toBe(at);
          expect(piece.to).toBeGreaterThan(piece.from);
          if (piece.span !== null) expect([piece.from % piece.span, piece.to % piece.span]).toEqual([0, 0]);
          // Nothing that a longer span could have covered.
          for (const longer of spans.filter((span) => span > (piece.span ?? 0))) {
            expect(Math.ceil(piece.from / longer) * longer + longer).toBeGreaterThan(piece.to);
          }
          at = piece.to;
        }
        expect(at).toBe(to);
      }),
    );
  },
);
