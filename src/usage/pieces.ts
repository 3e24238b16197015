import { dayMs, quarterMs, type RollupSpan } from "./rollup.ts";
import type { TimeRange } from "./usage-store.ts";

/** A part of a range that is read from one kind of rollup, or from the records if its span is null. */
export interface Piece extends TimeRange {
  readonly span: RollupSpan | null;
}

/** Splits a range into whole days, whole quarters of an hour beside them, and what is left at its ends. */
export function piecesOf({ from, to }: TimeRange): Piece[] {
  const quarters = aligned({ from, to }, quarterMs);
  const days = aligned(quarters, dayMs);
  const pieces: Piece[] = [
    { span: null, from, to: quarters.from },
    { span: quarterMs, from: quarters.from, to: days.from },
    { span: dayMs, from: days.from, to: days.to },
    { span: quarterMs, from: days.to, to: quarters.to },
    { span: null, from: quarters.to, to },
  ];
  return pieces.filter((piece) => piece.from < piece.to);
}

/** The multiples of a span within a range; empty, and at its end, if there are none. */
function aligned({ from, to }: TimeRange, span: number): TimeRange {
  const first = Math.ceil(from / span) * span;
  const last = Math.floor(to / span) * span;
  return first < last ? { from: first, to: last } : { from: to, to };
}
