import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { statusFault } from "./candidate.testkit.ts";
import { backoffMs } from "./retry-schedule.ts";
import { startSchedule } from "./retry-schedule.testkit.ts";

const attempt = fc.record({
  status: fc.constantFrom(400, 401, 404, 429, 429, 500, 500, 503, 504),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
  tookMs: fc.constantFrom(0, 1, 300, 4_000, 30_000),
});

const scene = fc.record({
  targets: fc.integer({ min: 1, max: 5 }),
  attempts: fc.option(fc.integer({ min: 1, max: 8 })),
  budgetMs: fc.constantFrom(0, 1, 5_000, 60_000),
  deadlineMs: fc.option(fc.constantFrom(10, 3_000, 100_000), { nil: undefined }),
  jitter: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 5 }),
  script: fc.array(attempt, { minLength: 1, maxLength: 30, size: "max" }),
});

/** Circuits never open. */
const provider = { circuit: { failures: 1_000_000, openMs: 1, failureRate: 2, minCalls: 1 } };

test("any sequence of faults and delays stays within the retry bounds", () => {
  fc.assert(
    fc.property(scene, ({ targets, attempts, budgetMs, deadlineMs, jitter, script }) => {
      const ids = Array.from({ length: targets }, (_, place) => `m${place}`);
      let draws = 0;
      const random = () => jitter[draws++ % jitter.length] ?? 0;
      const { run, clock } = startSchedule({
        ids,
        provider,
        retry: { attempts, budgetMs },
        random,
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
      });
      const startedAt = clock.now();
      const asked: { id: string; at: number; failedAt: number; status: number; requestedMs: number }[] = [];
      const done = run((id, number) => {
        const { status, retryAfterMs, tookMs } = script[number % script.length] ?? { status: 500, tookMs: 0 };
        const at = clock.now();
        clock.advance(tookMs);
        asked.push({ id, at, failedAt: clock.now(), status, requestedMs: retryAfterMs ?? 0 });
        return statusFault(status, retryAfterMs === undefined ? {} : { retryAfterMs });
      });

      expect(done.at(-1)).toBe("end");
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.length).toBeLessThanOrEqual(attempts ?? Math.max(3, targets));
      // Only the first attempt may begin after the budget or the deadline.
      const endsAt = startedAt + Math.min(budgetMs, deadlineMs ?? Infinity);
      for (const { at } of asked.slice(1)) expect(at).toBeLessThanOrEqual(endsAt);
      // An invalid request is not tried again.
      expect(asked.slice(0, -1).every(({ status }) => status !== 400)).toBe(true);

      for (const [place, { id, at }] of asked.entries()) {
        const before = asked.slice(0, place).filter((one) => one.id === id);
        const last = before.at(-1);
        if (!last) continue;
        // A candidate is asked again only after a fault that may pass.
        expect([429, 500, 503]).toContain(last.status);
        // A wait that the provider asks for is kept, and a single candidate is not asked much later than that.
        const requested = [429, 503].includes(last.status) ? last.requestedMs : 0;
        expect(at).toBeGreaterThanOrEqual(last.failedAt + requested);
        const latest = last.failedAt + Math.max(last.requestedMs, Math.min(8_000, 250 * 2 ** (before.length - 1)));
        if (targets === 1) expect(at).toBeLessThanOrEqual(latest);
      }
    }),
    { numRuns: 500 },
  );
});

test("every candidate is asked once, in the plan's order, before any is asked again", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 20 }), (targets, attempts) => {
      const ids = Array.from({ length: targets }, (_, place) => `m${place}`);
      const { run } = startSchedule({ ids, provider, retry: { attempts } });
      const asked = run(() => statusFault(500)).filter((step) => step.startsWith("ask"));
      expect(asked.length).toBe(attempts);
      expect(asked.slice(0, targets)).toEqual(ids.slice(0, attempts).map((id) => `ask ${id}`));
    }),
  );
});

test("the backoff has full jitter below a bound that doubles with each try, up to eight seconds", () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), random, (tries, share) => {
      const wait = backoffMs(tries, share);
      const bound = Math.min(8_000, 250 * 2 ** (tries - 1));
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(bound);
      expect(backoffMs(tries, 0)).toBe(0);
      expect(backoffMs(tries, 0.5)).toBe(bound / 2);
    }),
  );
});
