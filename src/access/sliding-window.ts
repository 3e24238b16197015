/**
 * The amount booked in the last 60 seconds, exact to the millisecond. Bookings within one millisecond share an entry, and
 * entries are dropped after 60 seconds, so there are at most 60,000.
 */

export const windowMs = 60_000;

export interface SlidingWindow {
  /** Booking times in milliseconds, ascending from index `start`. */
  times: number[];
  amounts: number[];
  start: number;
  total: number;
}

export function emptyWindow(): SlidingWindow {
  return { times: [], amounts: [], start: 0, total: 0 };
}

/** Books an amount and returns its time, for `unbook`. `now` (whole ms) must not decrease. */
export function book(window: SlidingWindow, amount: number, now: number): number {
  const last = window.times.length - 1;
  if (last >= window.start && window.times[last] === now) {
    window.amounts[last] = (window.amounts[last] ?? 0) + amount;
  } else {
    window.times.push(now);
    window.amounts.push(amount);
  }
  window.total += amount;
  return now;
}

/** Cancels an amount booked at `time`. No effect if it has left the window. */
export function unbook(window: SlidingWindow, amount: number, time: number): void {
  const index = findTime(window, time);
  if (index === -1) return;
  const held = window.amounts[index] ?? 0;
  const returned = Math.min(amount, held);
  window.amounts[index] = held - returned;
  window.total -= returned;
}

/** Drops expired entries and returns the amount booked now. */
export function bookedAt(window: SlidingWindow, now: number): number {
  const gone = now - windowMs;
  while (window.start < window.times.length && (window.times[window.start] ?? 0) <= gone) {
    window.total -= window.amounts[window.start] ?? 0;
    window.start++;
  }
  // Compact only now and then, for constant amortized cost.
  if (window.start === window.times.length || (window.start >= 1_024 && window.start * 2 >= window.times.length)) {
    window.times.splice(0, window.start);
    window.amounts.splice(0, window.start);
    window.start = 0;
  }
  return window.total;
}

/** Milliseconds until at least `excess` of the bookings has expired; 0 if `excess` is not above 0. */
export function waitUntilFreed(window: SlidingWindow, excess: number, now: number): number {
  let gone = 0;
  for (let index = window.start; gone < excess && index < window.times.length; index++) {
    gone += window.amounts[index] ?? 0;
    if (gone >= excess) return (window.times[index] ?? 0) + windowMs - now;
  }
  return excess > 0 ? windowMs : 0;
}

/** Milliseconds until all bookings have expired. */
export function waitUntilEmpty(window: SlidingWindow, now: number): number {
  return waitUntilFreed(window, window.total, now);
}

function findTime(window: SlidingWindow, time: number): number {
  let low = window.start;
  let high = window.times.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = window.times[middle] ?? 0;
    if (found === time) return middle;
    if (found < time) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
