import { describe, expect, test } from "bun:test";
import { invalidRequest } from "../../errors.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { exampleCandidate, simulatedClock, statusFault } from "./candidate.testkit.ts";
import { startSchedule } from "./retry-schedule.testkit.ts";
import { beginAttempt } from "../health/watch.testkit.ts";

const tooLong = () => statusFault(400, { code: "context_length_exceeded" });

describe("candidates", () => {
  test("are asked once each, in the plan's order, if there are no retry rules", () => {
    const { run } = startSchedule({ ids: ["a", "b", "c"] });
    expect(run(() => statusFault(500))).toEqual(["ask a", "ask b", "ask c", "end"]);
  });

  test("are not asked after one has rejected the request as invalid", () => {
    for (const status of [400, 413, 422]) {
      const { run } = startSchedule({ ids: ["a", "b"], retry: {} });
      expect(run(() => statusFault(status))).toEqual(["ask a", "end"]);
    }
  });

  test("that cannot take the request are skipped with a reason", () => {
    const { schedule } = startSchedule({ ids: ["a", "b"] });
    const reason = invalidRequest("unsupported_parameter", "No.");
    const step = schedule.next();
    if (step.kind !== "attempt") throw new Error("The step is not an attempt.");
    schedule.prepare(step.entry);
    schedule.skip(step.entry, reason);
    expect(schedule.skipErrors).toEqual([reason]);
    const next = schedule.next();
    expect(next.kind === "attempt" && next.entry.candidate.model.id).toBe("b");
  });

  test("with an open circuit are left out and not waited for", () => {
    const { run, candidates } = startSchedule({ ids: ["a", "b"], retry: {} });
    for (let time = 0; time < 3; time++)
      if (candidates[0]) beginAttempt(candidates[0].target.health).failed(statusFault(500));
    expect(run(() => statusFault(404))).toEqual(["ask b", "end"]);
  });

  test("are asked once even if the body took longer to arrive than the retry budget", () => {
    const { run, clock } = startSchedule({ ids: ["a", "b"], retry: { budgetMs: 1_000 } });
    clock.advance(5_000);
    expect(run(() => statusFault(500))).toEqual(["ask a", "end"]);
  });

  test("are not asked after a fault that the policy does not fall back on", () => {
    const { run } = startSchedule({ ids: ["a", "b"], fallbackOn: ["timeout"] });
    expect(run(() => statusFault(500))).toEqual(["ask a", "end"]);
    const other = startSchedule({ ids: ["a", "b"], fallbackOn: ["timeout"] });
    expect(other.run(() => statusFault(504))).toEqual(["ask a", "ask b", "end"]);
  });
});

describe("a request that is too long", () => {
  const lengths = { a: 8_000, b: 4_000, c: 8_000, d: 200_000, e: null };

  test("is not retried if the policy does not fall back on it", () => {
    const { run } = startSchedule({ ids: ["a", "d"], lengths, fallbackOn: ["server_error"] });
    expect(run(tooLong)).toEqual(["ask a", "end"]);
  });

  test("goes on to larger models only", () => {
    const { run } = startSchedule({ ids: ["a", "b", "c", "d", "e"], lengths, fallbackOn: ["context_length"] });
    expect(run(tooLong)).toEqual(["ask a", "ask d", "ask e", "end"]);
  });

  test("does not retry a smaller model that failed for another reason", () => {
    const fallbackOn = ["context_length", "server_error"] as const;
    const { run } = startSchedule({ ids: ["b", "a"], lengths, fallbackOn, retry: {} });
    expect(run((id) => (id === "b" ? statusFault(500) : tooLong()))).toEqual(["ask b", "ask a", "end"]);
  });
});

describe("a retry", () => {
  test("comes after all candidates have been asked, within the bounds of the jitter", () => {
    const { run } = startSchedule({ ids: ["a", "b"], retry: { attempts: 5 }, random: () => 0.5 });
    expect(run(() => statusFault(500))).toEqual([
      "ask a",
      "ask b",
      "wait 125",
      "ask a",
      "ask b",
      "wait 250",
      "ask a",
      "end",
    ]);
  });

  test("keeps the wait that a provider asks for to the millisecond, even if the jitter is smaller", () => {
    const { run } = startSchedule({ ids: ["a"], retry: { attempts: 3 }, random: () => 0 });
    expect(run(() => statusFault(429, { retryAfterMs: 3_210 }))).toEqual([
      "ask a",
      "wait 3210",
      "ask a",
      "wait 3210",
      "ask a",
      "end",
    ]);
  });

  test("does not wait longer than the budget", () => {
    const { run } = startSchedule({ ids: ["a"], retry: { budgetMs: 3_000 } });
    expect(run(() => statusFault(429, { retryAfterMs: 3_001 }))).toEqual(["ask a", "end"]);
  });

  test("does not happen after faults that are not listed", () => {
    const onlyOverloaded = startSchedule({ ids: ["a"], retry: { on: ["overloaded"] } });
    expect(onlyOverloaded.run(() => statusFault(500))).toEqual(["ask a", "end"]);
    const usual = startSchedule({ ids: ["a"], retry: {} });
    expect(usual.run(() => new UpstreamFault("first_byte_timeout", "x"))).toEqual(["ask a", "end"]);
  });

  test("does not happen without retry rules, unless the caller has set a deadline", () => {
    const asksToWait = () => statusFault(503, { retryAfterMs: 2_000 });
    expect(startSchedule({ ids: ["a"] }).run(asksToWait)).toEqual(["ask a", "end"]);
    const bounded = startSchedule({ ids: ["a"], deadlineMs: 5_000 });
    expect(bounded.run(asksToWait)).toEqual(["ask a", "wait 2000", "ask a", "wait 2000", "ask a", "end"]);
  });

  test("does not happen once the circuit is open", () => {
    const { run } = startSchedule({ ids: ["a"], retry: { attempts: 9 }, random: () => 0 });
    expect(run(() => statusFault(500))).toEqual(["ask a", "ask a", "ask a", "end"]);
  });

  test("does not count a candidate that was returned unasked", () => {
    const { schedule, run, clock } = startSchedule({ ids: ["a"], retry: { attempts: 2 }, random: () => 0.5 });
    const fresh = schedule.next();
    if (fresh.kind !== "attempt") throw new Error("The step is not an attempt.");
    schedule.prepare(fresh.entry);
    expect(schedule.next().kind).toBe("end");
    schedule.returnUnasked(fresh.entry);
    schedule.prepare(fresh.entry);
    schedule.begin(fresh.entry, 0);
    schedule.failed(fresh.entry, statusFault(500));
    clock.advance(1_000);
    const again = schedule.next();
    if (again.kind !== "attempt") throw new Error("The step is not an attempt.");
    schedule.prepare(again.entry);
    schedule.returnUnasked(again.entry);
    expect(run(() => statusFault(500))).toEqual(["ask a", "end"]);
  });
});

describe("several requests that a provider asks to wait", () => {
  test("are all sent when the wait is over, because the target was never unhealthy", () => {
    const clock = simulatedClock();
    const candidate = exampleCandidate(clock, "a");
    const asksToWait = statusFault(429, { retryAfterMs: 1_000 });
    const [first, second] = [1, 2].map(() => startSchedule({ clock, candidates: [candidate], retry: {} }));
    if (!first || !second) throw new Error("There are no schedules.");
    // Both attempts begin before either fails.
    const steps = [first, second].map(({ schedule }) => schedule.next());
    for (const [place, step] of steps.entries()) {
      if (step.kind !== "attempt") throw new Error("The step is not an attempt.");
      const { schedule } = place === 0 ? first : second;
      schedule.prepare(step.entry);
      schedule.begin(step.entry, 0);
    }
    for (const [place, step] of steps.entries()) {
      if (step.kind !== "attempt") continue;
      beginAttempt(candidate.target.health).failed(asksToWait);
      (place === 0 ? first : second).schedule.failed(step.entry, asksToWait);
    }
    clock.advance(1_000);
    expect(first.schedule.next().kind).toBe("attempt");
    candidate.target.health.begin(0);
    expect(second.schedule.next().kind).toBe("attempt");
  });
});

describe("several credentials", () => {
  const provider = { apiKeys: ["k0", "k1"] };

  test("are tried at once, before another target", () => {
    const { run } = startSchedule({ ids: ["a", "b"], provider });
    expect(run((id) => statusFault(id === "a" ? 401 : 429), { withCredentials: true })).toEqual([
      "ask a 0",
      "ask a 1",
      "ask b 0",
      "ask b 1",
      "end",
    ]);
  });

  test("are not tried after a fault of the target", () => {
    const { run } = startSchedule({ ids: ["a"], provider });
    expect(run(() => statusFault(500))).toEqual(["ask a", "end"]);
  });

  test("are waited for if all have reached their rate limit", () => {
    const { run } = startSchedule({ ids: ["a"], provider, retry: { attempts: 3 }, random: () => 0 });
    expect(run(() => statusFault(429), { withCredentials: true })).toEqual([
      "ask a 0",
      "ask a 1",
      "wait 1000",
      "ask a 0",
      "end",
    ]);
  });
});

describe("a hedge", () => {
  test("goes to the next fresh candidate whose provider has a free slot", () => {
    const { schedule, candidates } = startSchedule({ ids: ["a", "b", "c"], provider: { maxInFlight: 1 } });
    const first = schedule.next();
    if (first.kind !== "attempt") throw new Error("The step is not an attempt.");
    schedule.prepare(first.entry);
    schedule.begin(first.entry, first.credential);
    candidates[1]?.target.health.begin(0);
    expect(schedule.nextToHedge()?.entry.candidate.model.id).toBe("c");
  });

  test("counts as an attempt, even while the first is being prepared", () => {
    const { schedule } = startSchedule({ ids: ["a", "b"], retry: { attempts: 1 } });
    const first = schedule.next();
    if (first.kind !== "attempt") throw new Error("The step is not an attempt.");
    schedule.prepare(first.entry);
    expect(schedule.nextToHedge()).toBeNull();
    schedule.begin(first.entry, 0);
    expect(schedule.nextToHedge()).toBeNull();
  });
});

describe("a provider at its concurrency limit", () => {
  test("is queued for if no other can be asked at once, and dropped if the queue times out", () => {
    const { schedule, candidates } = startSchedule({ ids: ["a", "b"], provider: { maxInFlight: 1 } });
    candidates[0]?.target.health.begin(0);
    const free = schedule.next();
    expect(free.kind === "attempt" && free.entry.candidate.model.id).toBe("b");
    candidates[1]?.target.health.begin(0);
    const queued = schedule.next();
    if (queued.kind !== "queue") throw new Error("The step is not a queue step.");
    expect(queued.entry.candidate.model.id).toBe("a");
    schedule.queueTimedOut(queued.entry);
    const other = schedule.next();
    if (other.kind !== "queue") throw new Error("The step is not a queue step.");
    schedule.queueTimedOut(other.entry);
    expect(schedule.next().kind).toBe("end");
  });
});
