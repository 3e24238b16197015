import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createConcurrencyLimiter, type QueuedSlot } from "./concurrency-limiter.ts";

/** Lets all pending promise callbacks run. */
const eventLoopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a limiter without a limit is never full", () => {
  const limiter = createConcurrencyLimiter(null);
  for (let call = 0; call < 1_000; call++) limiter.acquire();
  expect(limiter.isFull).toBe(false);
});

describe("a full limiter", () => {
  test("grants a free slot to the call that has waited longest, before any later call", async () => {
    const limiter = createConcurrencyLimiter(1);
    limiter.acquire();
    const [first, second] = [limiter.queue(), limiter.queue()];
    expect(await second.granted).toBe(false);
    limiter.release();
    expect(await first.granted).toBe(true);
    expect(limiter.isFull).toBe(true);
    first.end();
    expect(limiter.isFull).toBe(false);
    limiter.acquire();
    expect(limiter.isFull).toBe(true);
  });

  test("queues at most as many calls as may be in flight", async () => {
    const limiter = createConcurrencyLimiter(2);
    limiter.acquire();
    limiter.acquire();
    const slots = [limiter.queue(), limiter.queue(), limiter.queue()];
    expect(await slots[2]?.granted).toBe(false);
    limiter.release();
    limiter.release();
    expect(await slots[0]?.granted).toBe(true);
    expect(await slots[1]?.granted).toBe(true);
  });

  test("grants a reserved slot that is not used to the next call in the queue", async () => {
    const limiter = createConcurrencyLimiter(2);
    limiter.acquire();
    limiter.acquire();
    const [first, second] = [limiter.queue(), limiter.queue()];
    limiter.release();
    expect(await first.granted).toBe(true);
    first.end();
    first.end();
    expect(await second.granted).toBe(true);
    second.end();
    await eventLoopTurn();
    expect(limiter.isFull).toBe(false);
    limiter.acquire();
    expect(limiter.isFull).toBe(true);
  });

  test("grants nothing to a call that has left the queue", async () => {
    const limiter = createConcurrencyLimiter(1);
    limiter.acquire();
    const slot = limiter.queue();
    slot.end();
    expect(await slot.granted).toBe(false);
    limiter.release();
    expect(limiter.isFull).toBe(false);
  });
});

interface Waiter {
  readonly slot: QueuedSlot;
  readonly number: number;
  granted: boolean | null;
}

const action = fc.record({
  what: fc.constantFrom("arrive", "arrive", "arrive", "release", "release", "take", "take", "withdraw", "decline"),
  which: fc.nat(30),
});

test("in any order of arrivals, releases and withdrawals: never over the limit, no slot lost, first in first out", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(action, { maxLength: 60, size: "max" }),
      async (limit, actions) => {
        const limiter = createConcurrencyLimiter(limit);
        let inFlight = 0;
        let arrivals = 0;
        const grantedInOrder: number[] = [];
        const waiting: Waiter[] = [];
        const acquire = () => {
          limiter.acquire();
          inFlight++;
          expect(inFlight).toBeLessThanOrEqual(limit);
        };
        const arrive = () => {
          if (!limiter.isFull) return acquire();
          const one: Waiter = { slot: limiter.queue(), number: ++arrivals, granted: null };
          waiting.push(one);
          void one.slot.granted.then((granted) => {
            one.granted = granted;
            if (granted) grantedInOrder.push(one.number);
          });
        };
        const remove = (one: Waiter | undefined) => one && waiting.splice(waiting.indexOf(one), 1);

        for (const { what, which } of actions) {
          const ready = waiting.filter(({ granted }) => granted === true);
          const unready = waiting.filter(({ granted }) => granted === null);
          if (what === "arrive") arrive();
          else if (what === "release" && inFlight > 0) {
            inFlight--;
            limiter.release();
          } else if (what === "take" && ready.length > 0) {
            const one = ready[which % ready.length];
            one?.slot.end();
            acquire();
            remove(one);
          } else if (what === "withdraw" && unready.length > 0) {
            const one = unready[which % unready.length];
            one?.slot.end();
            remove(one);
          } else if (what === "decline" && ready.length > 0) {
            const one = ready[which % ready.length];
            one?.slot.end();
            remove(one);
          }
          for (const one of waiting.filter(({ granted }) => granted === false)) remove(one);
          if (which % 2 === 0) await eventLoopTurn();
        }

        // Drain: every waiting call is granted a slot in the end, and all slots are free afterwards.
        for (let round = 0; round < 200 && (inFlight > 0 || waiting.length > 0); round++) {
          await eventLoopTurn();
          for (const one of waiting.filter(({ granted }) => granted !== null)) {
            one.slot.end();
            if (one.granted) acquire();
            remove(one);
          }
          if (inFlight > 0) {
            inFlight--;
            limiter.release();
          }
        }
        expect(waiting).toEqual([]);
        expect(grantedInOrder).toEqual(grantedInOrder.toSorted((one, other) => one - other));
        await eventLoopTurn();
        for (let place = 0; place < limit; place++) {
          expect(limiter.isFull).toBe(false);
          limiter.acquire();
        }
        expect(limiter.isFull).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});
