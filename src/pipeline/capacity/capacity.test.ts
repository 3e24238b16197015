import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { GatewayError } from "../../errors.ts";
import { type CapacityLimits, createCapacity, type Hold } from "./capacity.ts";

function simulation(limits: Partial<CapacityLimits> = {}) {
  const time = { now: 1_700_000_000_000 };
  const all = { maxInFlight: 10, maxBodyMemoryBytes: 1_000, maxBodyBytes: 1_000, ...limits };
  const capacity = createCapacity(all, { now: () => time.now });
  /** A place for the key, or null if there is none at the moment. */
  const tryAdmit = (key: string): Hold | null => unlessRefused(() => capacity.admit(key));
  const flood = (key: string): Hold[] => {
    const holds: Hold[] = [];
    for (let hold = tryAdmit(key); hold; hold = tryAdmit(key)) holds.push(hold);
    return holds;
  };
  return { time, capacity, tryAdmit, flood };
}

/** The result of the action; null if it is refused as an overload. */
function unlessRefused<Result>(action: () => Result): Result | null {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error).toMatchObject({ status: 503, type: "overloaded_error", code: "overloaded", retryAfterSeconds: 1 });
    return null;
  }
}

const takes = (hold: Hold | null, bytes: number): boolean =>
  unlessRefused(() => (hold?.addBodyBytes(bytes), hold)) !== null;

describe("places", () => {
  test("a key that is alone has all of them, and no more", () => {
    const { capacity, flood, tryAdmit } = simulation();
    const holds = flood("a");
    expect(holds.length).toBe(10);
    holds[0]?.release();
    holds[0]?.release();
    expect(capacity.inFlight).toBe(9);
    expect(tryAdmit("a")).not.toBeNull();
    expect(tryAdmit("a")).toBeNull();
  });

  test("a key of the last minute finds a place at its first try, however another one floods", () => {
    const { time, tryAdmit, flood } = simulation();
    tryAdmit("light")?.release();
    time.now += 59_999;
    expect(flood("heavy").length).toBe(9);
    expect(tryAdmit("light")).not.toBeNull();
  });

  test("it does so too if the shares of the flooding keys are uneven", () => {
    const { tryAdmit, flood } = simulation({ maxInFlight: 4 });
    for (const key of ["light", "a", "b"]) tryAdmit(key)?.release();
    const [first, second] = [...flood("a"), ...flood("b")];
    first?.release();
    second?.release();
    expect([flood("a").length, flood("b").length]).toEqual([1, 0]);
    expect(tryAdmit("light")).not.toBeNull();
  });

  test("one that has been away for a minute is not waited for", () => {
    const { time, tryAdmit, flood } = simulation();
    tryAdmit("light")?.release();
    time.now += 60_000;
    expect(flood("heavy").length).toBe(10);
  });

  test.each([1, 2, 3, 10])("of %d in all, what becomes free is for who was turned away", (maxInFlight) => {
    const { flood, tryAdmit } = simulation({ maxInFlight });
    const heavy = flood("heavy");
    expect(heavy.length).toBe(maxInFlight);
    expect(tryAdmit("light")).toBeNull();
    heavy.pop()?.release();
    expect(tryAdmit("heavy")).toBeNull();
    expect(tryAdmit("light")).not.toBeNull();
  });

  test("two places and two keys: one each, whichever comes when", () => {
    const { flood } = simulation({ maxInFlight: 2 });
    flood("a")[0]?.release();
    const b = flood("b");
    expect(b.length).toBe(1);
    b[0]?.release();
    expect([flood("a").length, flood("b").length]).toEqual([0, 1]);
  });

  test("the turn of a key that does not come back lapses", () => {
    const { time, tryAdmit } = simulation({ maxInFlight: 1 });
    const first = tryAdmit("a");
    expect(tryAdmit("gone")).toBeNull();
    first?.release();
    expect(tryAdmit("b")).toBeNull();
    time.now += 2_000;
    expect(tryAdmit("b")).not.toBeNull();
  });

  test("keys that are turned away take turns", () => {
    const { tryAdmit } = simulation({ maxInFlight: 1 });
    let running = tryAdmit("d");
    const keys = ["a", "b", "c"];
    for (const key of keys) expect(tryAdmit(key)).toBeNull();
    const served: string[] = [];
    for (let round = 0; round < 6; round++) {
      running?.release();
      const admitted = ["c", "b", "a"].map((key) => ({ key, hold: tryAdmit(key) })).filter(({ hold }) => hold);
      expect(admitted.length).toBe(1);
      running = admitted[0]?.hold ?? null;
      served.push(admitted[0]?.key ?? "none");
    }
    expect(served.slice(0, 3)).toEqual(keys);
    expect(served.slice(3).toSorted()).toEqual(keys);
  });

  test("floods of other keys keep a light one waiting for its turn at most, and the bound always holds", () => {
    const round = fc.record({
      /** How often each flooding key tries, before and after a request ends. */
      before: fc.nat(4),
      after: fc.nat(4),
      /** Which of the running requests ends. */
      ends: fc.nat(1_000),
      waitMs: fc.nat(900),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 15 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(round, { minLength: 10, maxLength: 60 }),
        (maxInFlight, floods, rounds) => {
          const { time, capacity, tryAdmit } = simulation({ maxInFlight });
          const running: { key: string; hold: Hold }[] = [];
          const attempt = (key: string): boolean => {
            const hold = tryAdmit(key);
            if (hold) running.push({ key, hold });
            expect(capacity.inFlight).toBe(running.length);
            expect(running.length).toBeLessThanOrEqual(maxInFlight);
            return hold !== null;
          };
          const flood = (times: number) => {
            for (let key = 0; key < floods; key++) {
              for (let tries = 0; tries < times; tries++) attempt(`heavy ${key}`);
            }
          };
          flood(maxInFlight);
          let refusals = 0;
          for (const { before, after, ends, waitMs } of rounds) {
            time.now += waitMs;
            flood(before + 1);
            running.splice(ends % Math.max(1, running.length), 1)[0]?.hold.release();
            flood(after);
            if (running.some(({ key }) => key === "light")) continue;
            refusals = attempt("light") ? 0 : refusals + 1;
            expect(refusals).toBeLessThanOrEqual(floods + 1);
          }
          for (const { hold } of running) hold.release();
          expect(capacity.inFlight).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("bodies", () => {
  test("one may fill all of an idle gateway, and further requests are refused without effect", () => {
    const { capacity, tryAdmit } = simulation();
    tryAdmit("other")?.release();
    const hold = tryAdmit("a");
    expect(takes(hold, 600)).toBe(true);
    expect(takes(hold, 401)).toBe(false);
    expect(takes(hold, 400)).toBe(true);
    expect(takes(tryAdmit("b"), 1)).toBe(false);
    expect(capacity.bodyBytes).toBe(1_000);
    hold?.release();
    expect(capacity.bodyBytes).toBe(0);
  });

  test("a key that holds its share leaves the others room for a body", () => {
    const { tryAdmit } = simulation({ maxBodyBytes: 200 });
    tryAdmit("light")?.release();
    for (let bodies = 0; bodies < 4; bodies++) expect(takes(tryAdmit("heavy"), 200)).toBe(true);
    expect(takes(tryAdmit("heavy"), 1)).toBe(false);
    expect(takes(tryAdmit("light"), 200)).toBe(true);
  });

  test("of a request that has ended nothing more is counted", () => {
    const { capacity, tryAdmit } = simulation();
    const hold = tryAdmit("a");
    hold?.addBodyBytes(10);
    hold?.release();
    hold?.release();
    expect(() => hold?.addBodyBytes(10)).toThrow("has ended");
    expect(capacity.bodyBytes).toBe(0);
  });

  test("the bound holds, and every byte comes back, whatever comes and ends in whatever order", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("arrive" as const), key: fc.constantFrom("a", "b", "c") }),
      fc.record({ kind: fc.constant("grow" as const), which: fc.nat(20), bytes: fc.nat(600) }),
      fc.record({ kind: fc.constant("end" as const), which: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const { capacity, tryAdmit } = simulation();
        const running: { hold: Hold; bytes: number }[] = [];
        for (const each of steps) {
          if (each.kind === "arrive") {
            const hold = tryAdmit(each.key);
            if (hold) running.push({ hold, bytes: 0 });
          } else if (each.kind === "grow") {
            const request = running[each.which];
            if (request && takes(request.hold, each.bytes)) request.bytes += each.bytes;
          } else {
            running.splice(each.which, 1)[0]?.hold.release();
          }
          expect(capacity.bodyBytes).toBe(running.reduce((sum, { bytes }) => sum + bytes, 0));
          expect(capacity.bodyBytes).toBeLessThanOrEqual(1_000);
        }
        for (const { hold } of running) hold.release();
        expect([capacity.inFlight, capacity.bodyBytes]).toEqual([0, 0]);
      }),
    );
  });
});

test("only so many turns are remembered", () => {
  const { tryAdmit, flood } = simulation({ maxInFlight: 2 });
  const held = flood("heavy");
  for (let key = 0; key <= 1_000; key++) tryAdmit(`key ${key}`);
  held[0]?.release();
  expect(tryAdmit("key 1000")).toBeNull();
  // It has no turn of its own, and so no place before the first.
  expect(tryAdmit("key 0")).not.toBeNull();
});
