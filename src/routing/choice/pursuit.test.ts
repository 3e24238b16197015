import { describe, expect, test } from "bun:test";
import { invalidRequest } from "../../errors.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { exampleCandidate, simulatedClock, statusFault } from "./candidate.example.ts";
import { startPursuit } from "./pursuit.example.ts";

const tooLong = () => statusFault(400, { code: "context_length_exceeded" });

describe("candidates", () => {
  test("are asked in the plan's order, each once, where nothing says to try again", () => {
    const { pursue } = startPursuit({ ids: ["a", "b", "c"] });
    expect(pursue(() => statusFault(500))).toEqual(["ask a", "ask b", "ask c", "end"]);
  });

  test("are asked no more once one has answered for the request's own fault", () => {
    for (const status of [400, 413, 422]) {
      const { pursue } = startPursuit({ ids: ["a", "b"], retry: {} });
      expect(pursue(() => statusFault(status))).toEqual(["ask a", "end"]);
    }
  });

  test("that cannot take the request are passed over, and it is known why", () => {
    const { pursuit } = startPursuit({ ids: ["a", "b"] });
    const why = invalidRequest("unsupported_parameter", "No.");
    const step = pursuit.next();
    if (step.kind !== "attempt") throw new Error("Nobody is asked.");
    pursuit.take(step.entry);
    pursuit.passOver(step.entry, why);
    expect(pursuit.refusals).toEqual([why]);
    const next = pursuit.next();
    expect(next.kind === "attempt" && next.entry.candidate.model.id).toBe("b");
  });

  test("that are sick are left out, and not waited for", () => {
    const { pursue, candidates } = startPursuit({ ids: ["a", "b"], retry: {} });
    for (let time = 0; time < 3; time++) candidates[0]?.target.health.begin(0).failed(statusFault(500));
    expect(pursue(() => statusFault(404))).toEqual(["ask b", "end"]);
  });

  test("are asked even where the body took longer to arrive than the request may be tried for", () => {
    const { pursue, clock } = startPursuit({ ids: ["a", "b"], retry: { budgetMs: 1_000 } });
    clock.advance(5_000);
    expect(pursue(() => statusFault(500))).toEqual(["ask a", "end"]);
  });

  test("after a fault that the policy does not fall back on are not asked", () => {
    const { pursue } = startPursuit({ ids: ["a", "b"], fallbackOn: ["timeout"] });
    expect(pursue(() => statusFault(500))).toEqual(["ask a", "end"]);
    const other = startPursuit({ ids: ["a", "b"], fallbackOn: ["timeout"] });
    expect(other.pursue(() => statusFault(504))).toEqual(["ask a", "ask b", "end"]);
  });
});

describe("a request that is too long", () => {
  const lengths = { a: 8_000, b: 4_000, c: 8_000, d: 200_000, e: null };

  test("ends where the policy does not say to go on", () => {
    const { pursue } = startPursuit({ ids: ["a", "d"], lengths, fallbackOn: ["server_error"] });
    expect(pursue(tooLong)).toEqual(["ask a", "end"]);
  });

  test("goes on to larger models alone", () => {
    const { pursue } = startPursuit({ ids: ["a", "b", "c", "d", "e"], lengths, fallbackOn: ["context_length"] });
    expect(pursue(tooLong)).toEqual(["ask a", "ask d", "ask e", "end"]);
  });

  test("does not go back to a smaller one that failed for another reason", () => {
    const fallbackOn = ["context_length", "server_error"] as const;
    const { pursue } = startPursuit({ ids: ["b", "a"], lengths, fallbackOn, retry: {} });
    expect(pursue((id) => (id === "b" ? statusFault(500) : tooLong()))).toEqual(["ask b", "ask a", "end"]);
  });
});

describe("trying again", () => {
  test("comes after everyone has been asked, within the jitter's bounds", () => {
    const { pursue } = startPursuit({ ids: ["a", "b"], retry: { attempts: 5 }, random: () => 0.5 });
    expect(pursue(() => statusFault(500))).toEqual([
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

  test("keeps a told wait to the millisecond, however small the jitter", () => {
    const { pursue } = startPursuit({ ids: ["a"], retry: { attempts: 3 }, random: () => 0 });
    expect(pursue(() => statusFault(429, { retryAfterMs: 3_210 }))).toEqual([
      "ask a",
      "wait 3210",
      "ask a",
      "wait 3210",
      "ask a",
      "end",
    ]);
  });

  test("does not wait for longer than the budget", () => {
    const { pursue } = startPursuit({ ids: ["a"], retry: { budgetMs: 3_000 } });
    expect(pursue(() => statusFault(429, { retryAfterMs: 3_001 }))).toEqual(["ask a", "end"]);
  });

  test("does not happen for faults that are not listed", () => {
    const onlyOverloaded = startPursuit({ ids: ["a"], retry: { on: ["overloaded"] } });
    expect(onlyOverloaded.pursue(() => statusFault(500))).toEqual(["ask a", "end"]);
    const usual = startPursuit({ ids: ["a"], retry: {} });
    expect(usual.pursue(() => new UpstreamFault("first_byte_timeout", "x"))).toEqual(["ask a", "end"]);
  });

  test("waits for nothing where there are no rules, unless the caller has said how long it may take", () => {
    const told = () => statusFault(503, { retryAfterMs: 2_000 });
    expect(startPursuit({ ids: ["a"] }).pursue(told)).toEqual(["ask a", "end"]);
    const bounded = startPursuit({ ids: ["a"], deadlineMs: 5_000 });
    expect(bounded.pursue(told)).toEqual(["ask a", "wait 2000", "ask a", "wait 2000", "ask a", "end"]);
  });

  test("is over as soon as a target is sick", () => {
    const { pursue } = startPursuit({ ids: ["a"], retry: { attempts: 9 }, random: () => 0 });
    expect(pursue(() => statusFault(500))).toEqual(["ask a", "ask a", "ask a", "end"]);
  });

  test("who is put back unasked is asked later, and costs no attempt", () => {
    const { pursuit, pursue, clock } = startPursuit({ ids: ["a"], retry: { attempts: 2 }, random: () => 0.5 });
    const fresh = pursuit.next();
    if (fresh.kind !== "attempt") throw new Error("Nobody is asked.");
    pursuit.take(fresh.entry);
    expect(pursuit.next().kind).toBe("end");
    pursuit.putBack(fresh.entry);
    pursuit.take(fresh.entry);
    pursuit.begin(fresh.entry, 0);
    pursuit.failed(fresh.entry, statusFault(500));
    clock.advance(1_000);
    const again = pursuit.next();
    if (again.kind !== "attempt") throw new Error("Nobody is asked.");
    pursuit.take(again.entry);
    pursuit.putBack(again.entry);
    expect(pursue(() => statusFault(500))).toEqual(["ask a", "end"]);
  });
});

describe("several requests that were told to wait", () => {
  test("all are asked when the time is over: their target was never sick", () => {
    const clock = simulatedClock();
    const candidate = exampleCandidate(clock, "a");
    const told = statusFault(429, { retryAfterMs: 1_000 });
    const [first, second] = [1, 2].map(() => startPursuit({ clock, candidates: [candidate], retry: {} }));
    if (!first || !second) throw new Error("There are no requests.");
    // Both are asked before either fails.
    const steps = [first, second].map(({ pursuit }) => pursuit.next());
    for (const [place, step] of steps.entries()) {
      if (step.kind !== "attempt") throw new Error("Nobody is asked.");
      const { pursuit } = place === 0 ? first : second;
      pursuit.take(step.entry);
      pursuit.begin(step.entry, 0);
    }
    for (const [place, step] of steps.entries()) {
      if (step.kind !== "attempt") continue;
      candidate.target.health.begin(0).failed(told);
      (place === 0 ? first : second).pursuit.failed(step.entry, told);
    }
    clock.advance(1_000);
    expect(first.pursuit.next().kind).toBe("attempt");
    candidate.target.health.begin(0);
    expect(second.pursuit.next().kind).toBe("attempt");
  });
});

describe("several credentials", () => {
  const provider = { apiKeys: ["k0", "k1"] };

  test("are tried at once, before another target", () => {
    const { pursue } = startPursuit({ ids: ["a", "b"], provider });
    expect(pursue((id) => statusFault(id === "a" ? 401 : 429), { withCredentials: true })).toEqual([
      "ask a 0",
      "ask a 1",
      "ask b 0",
      "ask b 1",
      "end",
    ]);
  });

  test("are not tried after a fault that is not theirs", () => {
    const { pursue } = startPursuit({ ids: ["a"], provider });
    expect(pursue(() => statusFault(500))).toEqual(["ask a", "end"]);
  });

  test("that all have used up their rate are waited for", () => {
    const { pursue } = startPursuit({ ids: ["a"], provider, retry: { attempts: 3 }, random: () => 0 });
    expect(pursue(() => statusFault(429), { withCredentials: true })).toEqual([
      "ask a 0",
      "ask a 1",
      "wait 1000",
      "ask a 0",
      "end",
    ]);
  });
});

describe("a hedge", () => {
  test("goes to the next who was not asked, and to nobody who has no free place", () => {
    const { pursuit, candidates } = startPursuit({ ids: ["a", "b", "c"], provider: { maxInFlight: 1 } });
    const first = pursuit.next();
    if (first.kind !== "attempt") throw new Error("Nobody is asked.");
    pursuit.take(first.entry);
    pursuit.begin(first.entry, first.credential);
    candidates[1]?.target.health.begin(0);
    expect(pursuit.nextToHedge()?.entry.candidate.model.id).toBe("c");
  });

  test("costs an attempt, also while the first is only prepared for", () => {
    const { pursuit } = startPursuit({ ids: ["a", "b"], retry: { attempts: 1 } });
    const first = pursuit.next();
    if (first.kind !== "attempt") throw new Error("Nobody is asked.");
    pursuit.take(first.entry);
    expect(pursuit.nextToHedge()).toBeNull();
    pursuit.begin(first.entry, 0);
    expect(pursuit.nextToHedge()).toBeNull();
  });
});

describe("a provider without a free place", () => {
  test("is waited for where nobody else can be asked at once, and given up for good", () => {
    const { pursuit, candidates } = startPursuit({ ids: ["a", "b"], provider: { maxInFlight: 1 } });
    candidates[0]?.target.health.begin(0);
    const free = pursuit.next();
    expect(free.kind === "attempt" && free.entry.candidate.model.id).toBe("b");
    candidates[1]?.target.health.begin(0);
    const queued = pursuit.next();
    if (queued.kind !== "queue") throw new Error("Nobody is queued for.");
    expect(queued.entry.candidate.model.id).toBe("a");
    pursuit.gaveUpQueueing(queued.entry);
    const other = pursuit.next();
    if (other.kind !== "queue") throw new Error("Nobody is queued for.");
    pursuit.gaveUpQueueing(other.entry);
    expect(pursuit.next().kind).toBe("end");
  });
});
