/**
 * How much was booked in the last 60 seconds. Bookings are kept by slots of 100 ms, and a slot leaves when its last
 * millisecond is 60 seconds old: so no 60 seconds ever hold more than the window admits, and a booking counts at most
 * 100 ms too long. Only slots in which something was booked are kept: 601 of them at most, and none when idle.
 */

export const windowMs = 60_000;
const slotMs = 100;
const slotsInWindow = windowMs / slotMs + 1;

export interface SlidingWindow {
  /** Slot numbers, ascending, from `start` on. */
  slots: number[];
  amounts: number[];
  start: number;
  total: number;
}

export function emptyWindow(): SlidingWindow {
  return { slots: [], amounts: [], start: 0, total: 0 };
}

/** Books an amount now and returns its slot, for giving it back. `now` (ms) never runs backwards. */
export function book(window: SlidingWindow, amount: number, now: number): number {
  const slot = Math.floor(now / slotMs);
  const last = window.slots.length - 1;
  if (last >= window.start && window.slots[last] === slot) {
    window.amounts[last] = (window.amounts[last] ?? 0) + amount;
  } else {
    window.slots.push(slot);
    window.amounts.push(amount);
  }
  window.total += amount;
  return slot;
}

/** Takes back what was booked in a slot. What has left the window already stays gone. */
export function unbook(window: SlidingWindow, amount: number, slot: number): void {
  const index = findSlot(window, slot);
  if (index === -1) return;
  const held = window.amounts[index] ?? 0;
  const returned = Math.min(amount, held);
  window.amounts[index] = held - returned;
  window.total -= returned;
}

/** What is booked now, after letting go of what is too old. */
export function bookedAt(window: SlidingWindow, now: number): number {
  const oldest = Math.floor(now / slotMs) - slotsInWindow + 1;
  while (window.start < window.slots.length && (window.slots[window.start] ?? 0) < oldest) {
    window.total -= window.amounts[window.start] ?? 0;
    window.start++;
  }
  // Cutting off what is left behind only now and then keeps the cost of letting go constant.
  if (window.start === window.slots.length || window.start >= slotsInWindow) {
    window.slots.splice(0, window.start);
    window.amounts.splice(0, window.start);
    window.start = 0;
  }
  return window.total;
}

/** Milliseconds until at least `excess` of what is booked has left; 0 where `excess` is not above 0. */
export function waitUntilGone(window: SlidingWindow, excess: number, now: number): number {
  let gone = 0;
  for (let index = window.start; gone < excess && index < window.slots.length; index++) {
    gone += window.amounts[index] ?? 0;
    if (gone >= excess) return leavesAt(window.slots[index] ?? 0) - now;
  }
  return excess > 0 ? windowMs : 0;
}

/** Milliseconds until nothing is booked any more. */
export function waitUntilEmpty(window: SlidingWindow, now: number): number {
  return waitUntilGone(window, window.total, now);
}

function leavesAt(slot: number): number {
  return (slot + slotsInWindow) * slotMs;
}

function findSlot(window: SlidingWindow, slot: number): number {
  let low = window.start;
  let high = window.slots.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = window.slots[middle] ?? 0;
    if (found === slot) return middle;
    if (found < slot) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
