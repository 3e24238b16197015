import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { book, bookedAt, emptyWindow, unbook, waitUntilEmpty, waitUntilFreed } from "./sliding-window.ts";

/** Reference model: keeps every booking and sums them each time. */
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
  /** The earlier booking to return from, if any. */
  giveBack: fc.option(fc.nat(20), { nil: null }),
});

describe("the window", () => {
  test("agrees with a reference model for any schedule", () => {
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
          // Reading drops expired entries, so the two are compared after reading.
          expect(bookedAt(window, now)).toBe(naive.bookedAt(now));
        }
      }),
    );
  });

  test("drops a booking after exactly 60 seconds", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (now) => {
        const window = emptyWindow();
        book(window, 1, now);
        expect(bookedAt(window, now + 59_999)).toBe(1);
        expect(bookedAt(window, now + 60_000)).toBe(0);
      }),
    );
  });

  test("keeps at most 60,000 entries", () => {
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

describe("a wait", () => {
  test("is exact: enough is freed at its end, and not one millisecond before", () => {
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
        const wait = waitUntilFreed(window, excess, now);
        expect(total - bookedAt(window, now + wait - 1)).toBeLessThan(excess);
        expect(total - bookedAt(window, now + wait)).toBeGreaterThanOrEqual(excess);
      }),
    );
  });

  test("is 0 if nothing is booked", () => {
    const window = emptyWindow();
    expect(waitUntilFreed(window, 0, 0)).toBe(0);
    expect(waitUntilEmpty(window, 0)).toBe(0);
    unbook(window, 5, book(window, 5, 10));
    expect(waitUntilEmpty(window, 10)).toBe(0);
  });
});
