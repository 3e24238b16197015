/**
 * How much was booked in the last 60 seconds, exactly to the millisecond. Bookings of one millisecond are one entry, and
 * an entry leaves when it is 60 seconds old: 60,000 of them at most, fewer where fewer were booked, none when idle.
 */

export const windowMs = 60_000;

export interface SlidingWindow {
  /** When something was booked, in milliseconds, ascending from `start` on. */
  times: number[];
  amounts: number[];
  start: number;
  total: number;
}

export function emptyWindow(): SlidingWindow {
  return { times: [], amounts: [], start: 0, total: 0 };
}

/** Books an amount now, whose time is what it is given back by. `now` (whole ms) never runs backwards. */
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

/** Takes back what was booked at a time. What has left the window already stays gone. */
export function unbook(window: SlidingWindow, amount: number, time: number): void {
  const index = findTime(window, time);
  if (index === -1) return;
  const held = window.amounts[index] ?? 0;
  const returned = Math.min(amount, held);
  window.amounts[index] = held - returned;
  window.total -= returned;
}

/** What is booked now, after letting go of what is too old. */
export function bookedAt(window: SlidingWindow, now: number): number {
  const gone = now - windowMs;
  while (window.start < window.times.length && (window.times[window.start] ?? 0) <= gone) {
    window.total -= window.amounts[window.start] ?? 0;
    window.start++;
  }
  // Cutting off what is left behind only now and then keeps the cost of letting go constant.
  if (window.start === window.times.length || (window.start >= 1_024 && window.start * 2 >= window.times.length)) {
    window.times.splice(0, window.start);
    window.amounts.splice(0, window.start);
    window.start = 0;
  }
  return window.total;
}

/** Milliseconds until at least `excess` of what is booked has left; 0 where `excess` is not above 0. */
export function waitUntilGone(window: SlidingWindow, excess: number, now: number): number {
  let gone = 0;
  for (let index = window.start; gone < excess && index < window.times.length; index++) {
    gone += window.amounts[index] ?? 0;
    if (gone >= excess) return (window.times[index] ?? 0) + windowMs - now;
  }
  return excess > 0 ? windowMs : 0;
}

/** Milliseconds until nothing is booked any more. */
export function waitUntilEmpty(window: SlidingWindow, now: number): number {
  return waitUntilGone(window, window.total, now);
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
