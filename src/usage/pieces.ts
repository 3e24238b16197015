import type { RollupSpan } from "./rollup.ts";
import type { TimeRange } from "./usage-store.ts";

/** A part of a range that is read from one kind of rollup, or from the records if its span is null. */
export interface Piece extends TimeRange {
  readonly span: RollupSpan | null;
}

/**
 * Splits a range into whole spans, with whole shorter ones beside them, and what is left at its ends.
 * @param spans longest first
 */
export function piecesOf({ from, to }: TimeRange, [span, ...shorter]: readonly RollupSpan[]): Piece[] {
  if (from >= to) return [];
  if (span === undefined) return [{ span: null, from, to }];
  const first = Math.ceil(from / span) * span;
  const last = Math.floor(to / span) * span;
  if (first >= last) return piecesOf({ from, to }, shorter);
  return [
    ...piecesOf({ from, to: first }, shorter),
    { span, from: first, to: last },
    ...piecesOf({ from: last, to }, shorter),
  ];
}
