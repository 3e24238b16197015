import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { book, bookedAt, emptyWindow, unbook, waitUntilEmpty, waitUntilGone } from "./sliding-window.ts";

/** Keeps every booking apart and sums them anew each time. */
function naiveWindow() {
  const bookings: { slot: number; amount: number }[] = [];
  return {
    book: (amount: number, now: number) => void bookings.push({ slot: now, amount }),
    unbook(amount: number, slot: number) {
      let rest = amount;
      for (const booking of bookings.filter((other) => other.slot === slot)) {
        const returned = Math.min(rest, booking.amount);
        booking.amount -= returned;
        rest -= returned;
      }
    },
    bookedAt: (now: number) =>
      bookings.filter(({ slot }) => now < slot + 60_000).reduce((sum, { amount }) => sum + amount, 0),
  };
}

const step = fc.record({
  waitMs: fc.oneof(fc.constantFrom(0, 1, 59_999, 60_000, 60_001, 200_000), fc.nat(500), fc.nat(20_000)),
  amount: fc.nat(100),
  /** Which earlier booking to give back from, if any. */
  giveBack: fc.option(fc.nat(20), { nil: null }),
});

describe("the window", () => {
  test("holds what a naive one holds, over any schedule", () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.array(step, { maxLength: 80, size: "max" }), (startMs, steps) => {
        const window = emptyWindow();
        const naive = naiveWindow();
        const booked: number[] = [];
        let now = startMs;
        for (const { waitMs, amount, giveBack } of steps) {
          now += waitMs;
          expect(bookedAt(window, now)).toBe(naive.bookedAt(now));
          const slot = giveBack === null ? undefined : booked[giveBack];
          if (slot === undefined) {
            naive.book(amount, now);
            booked.push(book(window, amount, now));
          } else {
            naive.unbook(amount, slot);
            unbook(window, amount, slot);
          }
          // A slot that is too old is let go of by looking, so the two are compared after looking.
          expect(bookedAt(window, now)).toBe(naive.bookedAt(now));
        }
      }),
    );
  });

  test("lets go of a booking 60 seconds after it, to the millisecond", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (now) => {
        const window = emptyWindow();
        book(window, 1, now);
        expect(bookedAt(window, now + 59_999)).toBe(1);
        expect(bookedAt(window, now + 60_000)).toBe(0);
      }),
    );
  });

  test("keeps 60,000 entries at most, however long it is used", () => {
    const window = emptyWindow();
    for (let now = 0; now < 300_000; now += 50) {
      bookedAt(window, now);
      book(window, 1, now);
      expect(window.times.length - window.start).toBeLessThanOrEqual(60_000);
      expect(window.times.length).toBeLessThanOrEqual(2 * 60_000);
    }
    expect(bookedAt(window, 300_000)).toBe(1_199);
    expect(bookedAt(window, 400_000)).toBe(0);
    expect(window.times).toEqual([]);
  });
});

describe("waits", () => {
  test("are exact: at the end of the wait enough is gone, one millisecond before it is not", () => {
    const bookings = fc.array(fc.tuple(fc.nat(3_000), fc.integer({ min: 1, max: 50 })), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(bookings, fc.integer({ min: 1, max: 500 }), (schedule, wanted) => {
        const window = emptyWindow();
        let now = 0;
        for (const [waitMs, amount] of schedule) {
          now += waitMs;
          bookedAt(window, now);
          book(window, amount, now);
        }
        const total = bookedAt(window, now);
        const excess = Math.min(wanted, total);
        const wait = waitUntilGone(window, excess, now);
        expect(total - bookedAt(window, now + wait - 1)).toBeLessThan(excess);
        expect(total - bookedAt(window, now + wait)).toBeGreaterThanOrEqual(excess);
      }),
    );
  });

  test("are 0 where there is nothing to wait for", () => {
    const window = emptyWindow();
    expect(waitUntilGone(window, 0, 0)).toBe(0);
    expect(waitUntilEmpty(window, 0)).toBe(0);
    unbook(window, 5, book(window, 5, 10));
    expect(waitUntilEmpty(window, 10)).toBe(0);
  });
});
