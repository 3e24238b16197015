import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { piecesOf } from "./pieces.ts";
import { dayMs, hourMs, monthMs, quarterMs, rollupKinds, type RollupSpan, startOfSpan } from "./rollup.ts";

const time = fc.oneof(
  fc.nat({ max: 400_000_000 }),
  fc.nat({ max: 200 }).map((day) => day * dayMs),
  fc.nat({ max: 20 }).map((month) => Date.UTC(1970, month)),
  fc.nat({ max: 400 }).map((quarter) => quarter * quarterMs),
  fc.nat({ max: 100 }).map((hour) => hour * 4 * quarterMs),
);

const kinds = Object.values(rollupKinds).map(({ spans }) => ({ spans: spans as readonly RollupSpan[] }));

test.each(kinds)("with spans of $spans ms, the pieces of a range come to the range", ({ spans }) => {
  fc.assert(
    fc.property(time, time, time, (one, other, subtractBefore) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const pieces = piecesOf({ from, to }, spans, subtractBefore);
      for (const piece of pieces) {
        expect(piece.to).toBeGreaterThan(piece.from);
        const { span } = piece;
        if (span !== null)
          expect([startOfSpan(span, piece.from), startOfSpan(span, piece.to)]).toEqual([piece.from, piece.to]);
        if (piece.span === null) expect(piece.sign).toBe(1);
        if (piece.sign === -1) expect(piece.from).toBeLessThan(subtractBefore);
        // What reaches beyond the end of the range is settled.
        expect(piece.to).toBeLessThanOrEqual(Math.max(to, subtractBefore));
      }
      // Between any two bounds each instant of the range counts once, and no other counts.
      const bounds = [from, to, ...pieces.flatMap((piece) => [piece.from, piece.to])];
      for (const at of bounds) {
        const times = pieces.reduce((sum, piece) => sum + (piece.from <= at && at < piece.to ? piece.sign : 0), 0);
        expect(times).toBe(from <= at && at < to ? 1 : 0);
      }
    }),
  );
});

test.each(kinds)("with spans of $spans ms, never more is read than the range itself", ({ spans }) => {
  const reads = (span: RollupSpan | null, from: number, to: number) => (to - from) / (span ?? 1);
  fc.assert(
    fc.property(fc.nat({ max: 400 }), fc.nat({ max: 400 }), (one, other) => {
      const [from, to] = [Math.min(one, other) * quarterMs, Math.max(one, other) * quarterMs];
      const read = piecesOf({ from, to }, spans, Infinity).reduce(
        (sum, piece) => sum + reads(piece.span, piece.from, piece.to),
        0,
      );
      const added = piecesOf({ from, to }, spans, 0).reduce(
        (sum, piece) => sum + reads(piece.span, piece.from, piece.to),
        0,
      );
      expect(read).toBeLessThanOrEqual(added);
    }),
  );
});

test("a day that begins at 23:00 is a day of UTC, an hour more and an hour less", () => {
  const from = 10 * dayMs - hourMs;
  expect(piecesOf({ from, to: from + dayMs }, rollupKinds.names.spans, Infinity)).toEqual([
    { span: hourMs, from, to: 10 * dayMs, sign: 1 },
    { span: dayMs, from: 10 * dayMs, to: 11 * dayMs, sign: 1 },
    { span: hourMs, from: from + dayMs, to: 11 * dayMs, sign: -1 },
  ]);
});

test("a month of another zone is a month of UTC, with quarters of an hour more and less", () => {
  const [from, to] = [Date.UTC(2026, 9) - 2 * hourMs, Date.UTC(2026, 10) - hourMs];
  expect(piecesOf({ from, to }, rollupKinds.facets.spans, Infinity)).toEqual([
    { span: quarterMs, from, to: Date.UTC(2026, 9), sign: 1 },
    { span: monthMs, from: Date.UTC(2026, 9), to: Date.UTC(2026, 10), sign: 1 },
    { span: quarterMs, from: to, to: Date.UTC(2026, 10), sign: -1 },
  ]);
});
