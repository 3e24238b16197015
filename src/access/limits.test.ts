import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { GatewayError } from "../errors.ts";
import { compileIdentity, type Identity } from "./identity.ts";
import { exampleKey, noLimits } from "./key.testkit.ts";
import type { KeyLimits } from "./key.ts";
import { type Admission, createLimiter } from "./limits.ts";

function caller(limits: Partial<KeyLimits>, id = "key"): Identity {
  return compileIdentity(exampleKey({ id, limits: { ...noLimits, ...limits } }));
}

function simulation(start = 1_700_000_000_000, maxKeys?: number, maxFreePerMinute = 0) {
  const time = { now: start };
  return { time, limiter: createLimiter({ now: () => time.now }, maxFreePerMinute, maxKeys) };
}

/** Returns the thrown error, or null. */
function refusalOf(action: () => unknown): GatewayError | null {
  try {
    action();
    return null;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

describe("requests per minute", () => {
  test("admits exactly the limit and reports the wait", () => {
    const { time, limiter } = simulation(0);
    const identity = caller({ requestsPerMinute: 2 });
    limiter.admit(identity);
    time.now = 20_000;
    limiter.admit(identity);
    time.now = 30_000;
    const refusal = refusalOf(() => limiter.admit(identity));
    expect(refusal).toMatchObject({ status: 429, code: "requests_per_minute", retryAfterSeconds: 30 });
    expect(refusal?.message).toBe("Rate limit of this API key reached: 2 requests per minute. Retry in 30 seconds.");
    time.now = 61_000;
    expect(refusalOf(() => limiter.admit(identity))).toBeNull();
  });

  test("free requests are neither counted nor refused", () => {
    const { limiter } = simulation();
    const identity = caller({ requestsPerMinute: 1 });
    limiter.admit(identity, true).giveBack();
    limiter.admit(identity, true);
    limiter.admit(identity);
    expect(refusalOf(() => limiter.admit(identity))).not.toBeNull();
    expect(refusalOf(() => limiter.admit(identity, true))).toBeNull();
  });

  test("keys are limited independently", () => {
    const { limiter } = simulation();
    limiter.admit(caller({ requestsPerMinute: 1 }, "one"));
    expect(refusalOf(() => limiter.admit(caller({ requestsPerMinute: 1 }, "two")))).toBeNull();
    expect(refusalOf(() => limiter.admit(caller({ requestsPerMinute: 1 }, "one")))).not.toBeNull();
  });

  test("admits never more than the limit in 60 seconds, refuses only above it, and reports an exact wait", () => {
    const schedule = fc.array(fc.oneof(fc.nat(300), fc.nat(5_000), fc.nat(40_000)), { maxLength: 120, size: "max" });
    fc.assert(
      fc.property(schedule, fc.integer({ min: 1, max: 12 }), fc.nat(1_000), (waits, limit, start) => {
        const { time, limiter } = simulation(start);
        const identity = caller({ requestsPerMinute: limit });
        const admitted: number[] = [];
        const within = (span: number) => admitted.filter((at) => time.now - at < span).length;
        for (const wait of waits) {
          time.now += wait;
          const refusal = refusalOf(() => limiter.admit(identity));
          if (refusal === null) {
            admitted.push(time.now);
            expect(within(60_000)).toBeLessThanOrEqual(limit);
            continue;
          }
          expect(within(60_000)).toBeGreaterThanOrEqual(limit);
          const seconds = refusal.retryAfterSeconds ?? 0;
          time.now += seconds * 1_000;
          expect(refusalOf(() => limiter.admit(identity))).toBeNull();
          admitted.push(time.now);
          expect(within(60_000)).toBeLessThanOrEqual(limit);
          // One second earlier the request would still be refused.
          if (seconds > 1) expect(within(60_000 + 1_000)).toBeGreaterThan(limit);
        }
      }),
    );
  });

  test("a refused or returned request consumes nothing", () => {
    const { limiter } = simulation();
    const identity = caller({ requestsPerMinute: 1, concurrentRequests: 1 });
    for (let round = 0; round < 5; round++) limiter.admit(identity).giveBack();
    const admission = limiter.admit(identity);
    for (let round = 0; round < 5; round++) refusalOf(() => limiter.admit(identity));
    admission.giveBack();
    admission.giveBack();
    limiter.admit(identity);
    expect(refusalOf(() => limiter.admit(identity))).not.toBeNull();
  });
});

describe("requests in flight", () => {
  test("include free requests", () => {
    const { limiter } = simulation();
    const identity = caller({ concurrentRequests: 1 });
    const free = limiter.admit(identity, true);
    expect(refusalOf(() => limiter.admit(identity, true))?.code).toBe("concurrent_requests");
    free.release();
    expect(refusalOf(() => limiter.admit(identity))).toBeNull();
  });

  test("never exceed the limit, in any order of completion", () => {
    const steps = fc.array(fc.oneof(fc.constant<"admit">("admit"), fc.nat(8)), { maxLength: 100, size: "max" });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (schedule, limit) => {
        const { limiter } = simulation();
        const identity = caller({ concurrentRequests: limit });
        const admissions: Admission[] = [];
        const running = new Set<Admission>();
        for (const step of schedule) {
          if (step === "admit") {
            const refusal = refusalOf(() => {
              const admission = limiter.admit(identity);
              admissions.push(admission);
              running.add(admission);
            });
            expect(running.size).toBeLessThanOrEqual(limit);
            if (refusal) expect(refusal).toMatchObject({ code: "concurrent_requests", retryAfterSeconds: 1 });
            if (refusal) expect(running.size).toBe(limit);
          } else {
            // A second release of the same request has no effect.
            const admission = admissions[step];
            admission?.release();
            if (admission) running.delete(admission);
          }
        }
      }),
    );
  });

  test("are released once, even if released twice", () => {
    const { limiter } = simulation();
    const identity = caller({ concurrentRequests: 2 });
    const first = limiter.admit(identity);
    limiter.admit(identity);
    first.release();
    first.giveBack();
    first.release();
    limiter.admit(identity);
    expect(refusalOf(() => limiter.admit(identity))?.code).toBe("concurrent_requests");
  });

  test("a hundred concurrent callers: exactly the limit passes", async () => {
    const { limiter } = simulation();
    const identity = caller({ concurrentRequests: 7, requestsPerMinute: 50 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        await Promise.resolve();
        return refusalOf(() => limiter.admit(identity));
      }),
    );
    expect(answers.filter((refusal) => refusal === null)).toHaveLength(7);
    expect(limiter.headers(identity)["x-ratelimit-remaining-requests"]).toBe("43");
  });
});

describe("tokens per minute", () => {
  test("refuses a request that does not fit now and reports when it will", () => {
    const { time, limiter } = simulation(0);
    const identity = caller({ tokensPerMinute: 100 });
    limiter.admit(identity).bookTokens(60);
    time.now = 10_000;
    limiter.admit(identity).bookTokens(40);
    const late = limiter.admit(identity);
    const refusal = refusalOf(() => late.bookTokens(61));
    expect(refusal).toMatchObject({ status: 429, code: "tokens_per_minute", retryAfterSeconds: 60 });
    expect(refusal?.message).toContain("100 tokens per minute. Retry in 60 seconds");
    expect(refusalOf(() => late.bookTokens(60))?.retryAfterSeconds).toBe(50);
    time.now = 61_000;
    expect(refusalOf(() => late.bookTokens(60))).toBeNull();
  });

  test("rejects a request that can never fit", () => {
    const { limiter } = simulation();
    const admission = limiter.admit(caller({ tokensPerMinute: 100 }));
    const refusal = refusalOf(() => admission.bookTokens(101));
    expect(refusal).toMatchObject({ status: 400, type: "invalid_request_error", code: "tokens_per_minute" });
    expect(refusal?.message).toContain("100 tokens per minute");
    expect(refusalOf(() => admission.bookTokens(100))).toBeNull();
  });

  test("a correction downwards takes effect at once, one upwards may exceed the limit and blocks until it drains", () => {
    const { time, limiter } = simulation(0);
    const identity = caller({ tokensPerMinute: 100 });
    const first = limiter.admit(identity);
    first.bookTokens(80);
    time.now = 5_000;
    first.correctTokens(10);
    first.correctTokens(0);
    expect(limiter.headers(identity)["x-ratelimit-remaining-tokens"]).toBe("90");
    const second = limiter.admit(identity);
    second.bookTokens(50);
    time.now = 6_000;
    second.correctTokens(250);
    expect(limiter.headers(identity)["x-ratelimit-remaining-tokens"]).toBe("0");
    const refusal = refusalOf(() => limiter.admit(identity).bookTokens(1));
    expect(refusal?.retryAfterSeconds).toBe(60);
    time.now = 66_000;
    expect(limiter.headers(identity)["x-ratelimit-remaining-tokens"]).toBe("100");
  });

  test("a correction after the window has passed does not affect other requests", () => {
    const { time, limiter } = simulation(0);
    const identity = caller({ tokensPerMinute: 100 });
    const slow = limiter.admit(identity);
    slow.bookTokens(80);
    time.now = 70_000;
    limiter.admit(identity).bookTokens(70);
    slow.correctTokens(5);
    slow.giveBack();
    expect(limiter.headers(identity)["x-ratelimit-remaining-tokens"]).toBe("30");
  });

  test("agrees with a reference model for any schedule, and reports an exact wait", () => {
    const call = fc.record({
      waitMs: fc.oneof(fc.nat(500), fc.nat(30_000)),
      estimate: fc.nat(120),
      actual: fc.nat(150),
      end: fc.constantFrom("correct", "give back", "leave"),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60, size: "max" }), (calls) => {
        const { time, limiter } = simulation(0);
        const identity = caller({ tokensPerMinute: 100 });
        const booked: { at: number; tokens: number }[] = [];
        const leavesAt = (at: number) => at + 60_000;
        const used = () => booked.reduce((sum, { at, tokens }) => sum + (time.now < leavesAt(at) ? tokens : 0), 0);
        for (const { waitMs, estimate, actual, end } of calls) {
          time.now += waitMs;
          const admission = limiter.admit(identity);
          const refusal = refusalOf(() => admission.bookTokens(estimate));
          if (estimate > 100) expect(refusal?.status).toBe(400);
          else expect(refusal?.status ?? null).toBe(used() + estimate > 100 ? 429 : null);
          if (refusal?.status === 400) continue;
          if (refusal !== null) {
            time.now += (refusal.retryAfterSeconds ?? 0) * 1_000;
            expect(refusalOf(() => admission.bookTokens(estimate))).toBeNull();
          }
          if (end === "give back") {
            admission.giveBack();
            continue;
          }
          const at = time.now;
          if (end === "leave") {
            booked.push({ at, tokens: estimate });
            continue;
          }
          booked.push({ at, tokens: Math.min(estimate, actual) });
          time.now += 150;
          admission.correctTokens(actual);
          booked.push({ at: time.now, tokens: Math.max(0, actual - estimate) });
        }
        const remaining = Number(limiter.headers(identity)["x-ratelimit-remaining-tokens"]);
        expect(remaining).toBe(Math.max(0, 100 - used()));
      }),
    );
  });
});

describe("free requests", () => {
  test.each([noLimits, { ...noLimits, requestsPerMinute: 1 }])("have a bucket of their own: %j", (limits) => {
    const { time, limiter } = simulation(undefined, undefined, 3);
    const identity = caller(limits);
    for (let count = 0; count < 3; count++) limiter.admit(identity, true).release();
    const refusal = refusalOf(() => limiter.admit(identity, true));
    expect([refusal?.status, refusal?.code]).toEqual([429, "requests_per_minute"]);
    expect(refusal?.message).toContain("3 token counts per minute");
    limiter.admit(identity).release();
    limiter.admit(caller(limits, "other"), true).release();
    time.now += 60_000;
    limiter.admit(identity, true).release();
  });

  test("that are refused give back what they had booked", () => {
    const { limiter } = simulation(undefined, undefined, 1);
    for (let count = 0; count < 3; count++) limiter.admit(caller(noLimits), true).giveBack();
    limiter.admit(caller(noLimits), true);
    expect(refusalOf(() => limiter.admit(caller(noLimits), true))).toMatchObject({ status: 429 });
  });
});

describe("createLimiter", () => {
  test("counts nothing for a key without limits", () => {
    const { limiter } = simulation(0, 0);
    const admission = limiter.admit(caller({}));
    admission.bookTokens(1e9);
    admission.correctTokens(2e9);
    admission.release();
    expect(admission.headers()).toEqual({});
  });

  test("drops idle keys when it is full, and no active one", () => {
    const { time, limiter } = simulation(0, 2);
    const limits = { requestsPerMinute: 1 };
    limiter.admit(caller(limits, "long")).bookTokens(1);
    limiter.admit(caller(limits, "short")).release();
    expect(refusalOf(() => limiter.admit(caller(limits, "third")))).toMatchObject({ status: 503, code: "overloaded" });
    time.now = 61_000;
    expect(refusalOf(() => limiter.admit(caller(limits, "third")))).toBeNull();
    expect(refusalOf(() => limiter.admit(caller(limits, "fourth")))?.status).toBe(503);
    expect(limiter.headers(caller({ concurrentRequests: 1, requestsPerMinute: 1 }, "long"))).toMatchObject({
      "x-ratelimit-remaining-requests": "1",
    });
  });

  test("keeps counting if the clock is set back", () => {
    const { time, limiter } = simulation(10_000_000);
    const identity = caller({ requestsPerMinute: 1 });
    limiter.admit(identity);
    time.now = 1_000;
    expect(refusalOf(() => limiter.admit(identity))?.retryAfterSeconds).toBe(60);
    time.now = 62_000;
    expect(refusalOf(() => limiter.admit(identity))).toBeNull();
  });

  test("a changed limit applies from the next request", () => {
    const { limiter } = simulation();
    limiter.admit(caller({ requestsPerMinute: 1 }));
    expect(refusalOf(() => limiter.admit(caller({ requestsPerMinute: 2 })))).toBeNull();
    expect(refusalOf(() => limiter.admit(caller({ requestsPerMinute: 2 })))).not.toBeNull();
  });
});
