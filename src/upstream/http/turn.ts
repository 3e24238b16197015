/**
 * Bounds what all connections together do in one turn of the event loop with what they have received: the kernel may hold
 * megabytes of each fast provider, and all of it would be read at once, while every other request waits.
 */

/** Milliseconds of a turn, once more than `freeBytes` have come. */
const maxMs = 10;
/** As much as is read of one socket at once is not timed: it takes some milliseconds. */
const freeBytes = 512 << 10;

/** Something that goes on in a later turn. */
export interface TurnTaker {
  takeTurn(): void;
}

const waiting: TurnTaker[] = [];
let bytes = 0;
/** Milliseconds of `performance.now()`; Infinity while nothing is timed. */
let endsAt = Infinity;

/** Counts bytes that are dealt with in this turn. */
export function countBytes(count: number): void {
  bytes += count;
  if (bytes > freeBytes && endsAt === Infinity) {
    endsAt = performance.now() + maxMs;
    setImmediate(beginTurn);
  }
}

/** Whether what is left is for a later turn. */
export function isTurnOver(): boolean {
  return endsAt !== Infinity && performance.now() >= endsAt;
}

/** Has `taker.takeTurn()` called in a later turn, in the order in which they asked. To be called when a turn is over. */
export function waitForTurn(taker: TurnTaker): void {
  waiting.push(taker);
}

/** Those that have waited go first, within a time of their own; then what the turn receives begins anew. */
function beginTurn(): void {
  endsAt = performance.now() + maxMs;
  try {
    for (let count = waiting.length; count > 0 && !isTurnOver(); count--) waiting.shift()?.takeTurn();
  } finally {
    // Whatever is thrown, the others must not wait for ever.
    bytes = 0;
    endsAt = waiting.length > 0 ? performance.now() + maxMs : Infinity;
    if (waiting.length > 0) setImmediate(beginTurn);
  }
}
