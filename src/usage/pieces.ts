import { endOfSpan, type RollupSpan, startOfSpan } from "./rollup.ts";
import type { TimeRange } from "./usage-store.ts";

/** A part of a range that is read from one kind of rollup, or from the records if its span is null. */
export interface Piece extends TimeRange {
  readonly span: RollupSpan | null;
  /** 1 for what is added, -1 for what a longer span has too much of. What is read from records is always added. */
  readonly sign: 1 | -1;
}

/**
 * Splits a range into whole spans, with shorter ones beside them, and what is left at its ends. Where that is less, a span
 * may reach beyond the range, and shorter ones are taken off: a day of Berlin is a day of UTC, an hour more and an hour less.
 * @param spans longest first
 * @param subtractBefore nothing after it is taken off: what is still being added to would be read at two moments
 */
export function piecesOf({ from, to }: TimeRange, spans: readonly RollupSpan[], subtractBefore: number): Piece[] {
  const [span, ...shorter] = spans;
  const shortest = spans.at(-1);
  if (from >= to) return [];
  if (span === undefined || shortest === undefined) return [{ span: null, from, to, sign: 1 }];
  if (span === shortest && from % span === 0 && to % span === 0) return [{ span, from, to, sign: 1 }];
  // Of a span that is more than twice as long, more would have to be taken off than there is.
  if ((to - from) * 2 < span) return piecesOf({ from, to }, shorter, subtractBefore);
  const firsts = [nextStart(span, from)];
  const lasts = [startOfSpan(span, to)];
  if (from % shortest === 0 && from <= subtractBefore) firsts.push(startOfSpan(span, from));
  if (to % shortest === 0 && nextStart(span, to) <= subtractBefore) lasts.push(nextStart(span, to));
  const edge = (one: number, other: number): Piece[] =>
    one <= other
      ? piecesOf({ from: one, to: other }, shorter, subtractBefore)
      : piecesOf({ from: other, to: one }, shorter, subtractBefore).map(takenOff);
  let best = piecesOf({ from, to }, shorter, subtractBefore);
  for (const first of firsts) {
    for (const last of lasts) {
      if (first >= last) continue;
      const pieces: Piece[] = [...edge(from, first), { span, from: first, to: last, sign: 1 }, ...edge(last, to)];
      if (spansIn(pieces) < spansIn(best)) best = pieces;
    }
  }
  return best;
}

/** The first beginning of a span that is not before `at`. */
function nextStart(span: RollupSpan, at: number): number {
  const start = startOfSpan(span, at);
  return start === at ? at : endOfSpan(span, start);
}

function takenOff(piece: Piece): Piece {
  return { ...piece, sign: piece.sign === 1 ? -1 : 1 };
}

/** How many spans are read, and milliseconds of records. */
export function spansIn(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { span, from, to }) => sum + (to - from) / (span ?? 1), 0);
}
