import { describe, expect, test } from "bun:test";
import { UpstreamFault } from "../../upstream/fault.ts";
import { exampleProvider, type SimulatedClock, simulatedClock, statusFault } from "../choice/candidate.testkit.ts";
import { createProviderHealth, createTargetHealth, type TargetHealth } from "./target-health.ts";
import { beginAttempt } from "./watch.testkit.ts";

/** Targets of one provider, with one clock. */
function targets(apiKeys: readonly string[], models: readonly string[] = ["m"]) {
  const clock = simulatedClock();
  const provider = exampleProvider({
    apiKeys,
    circuit: { failures: 2, openMs: 30_000, failureRate: 2, minCalls: 20 },
  });
  const shared = createProviderHealth(provider);
  const changes: string[] = [];
  const onChange = (label: string, state: string) => void changes.push(`${label} ${state}`);
  const all = models.map((model) => createTargetHealth({ provider, model, shared, clock, onChange }));
  const [first] = all;
  if (!first) throw new Error("There is no target.");
  return { clock, changes, first, all };
}

/** Makes one failing call with the next credential and returns the credential. */
function fails(health: TargetHealth, fault: UpstreamFault): number {
  const credential = health.pickCredential([]);
  const watch = beginAttempt(health, credential);
  watch.failed(fault);
  watch.ended();
  return credential;
}

function succeeds(health: TargetHealth, clock: SimulatedClock, milliseconds = 100): void {
  const watch = beginAttempt(health, Math.max(0, health.pickCredential([])));
  clock.advance(milliseconds);
  watch.answered(milliseconds);
  watch.succeeded();
  watch.ended();
}

describe("what one caller's requests provoke", () => {
  const reported = (type: string | null, code: string | null = null) =>
    new UpstreamFault("reported_error", "", { providerError: { message: null, type, code, param: null } });

  test.each([403, 404, 409, 415, 424, 451])("a %d takes no target away that has answered", (status) => {
    for (const apiKeys of [[], ["a", "b"]]) {
      const { first, clock } = targets(apiKeys);
      for (const _ of [0, 1]) succeeds(first, clock);
      for (let round = 0; round < 6; round++) fails(first, statusFault(status));
      expect(first.circuit.state).toBe("closed");
      expect(first.pickCredential([])).toBeGreaterThanOrEqual(0);
    }
  });

  test("a credential that has not answered yet is paused by a 403, though the other has", () => {
    const { first } = targets(["good", "bad"]);
    const watch = beginAttempt(first, 0);
    watch.succeeded();
    watch.ended();
    const other = beginAttempt(first, 1);
    other.failed(statusFault(403));
    other.ended();
    expect([first.pickCredential([]), first.pickCredential([0])]).toEqual([0, -1]);
  });

  test.each([401, 402, 408, 429, 500, 503])("a %d counts against a target that has answered", (status) => {
    const { first, clock } = targets([]);
    succeeds(first, clock);
    for (const _ of [0, 1]) fails(first, statusFault(status));
    expect(first.circuit.state).toBe("open");
  });

  test("what a model wrote, or the provider said of the request within its answer, opens no circuit", () => {
    const { first } = targets([]);
    for (let round = 0; round < 3; round++) {
      fails(first, new UpstreamFault("unusable_output", ""));
      fails(first, reported("invalid_request_error"));
      fails(first, reported(null, "invalid_image_url"));
      fails(first, reported(null, "image_too_large"));
      fails(first, reported("INVALID_ARGUMENT", "400"));
    }
    expect(first.circuit.state).toBe("closed");
  });

  test.each([
    ["server_error", null],
    ["overloaded_error", null],
    ["invalid_request_error", "invalid_api_key"],
    [null, null],
  ])("a reported %s %s opens it", (type, code) => {
    const { first } = targets([]);
    for (const _ of [0, 1]) fails(first, reported(type, code));
    expect(first.circuit.state).toBe("open");
  });
});

describe("a target", () => {
  test("counts its calls until they have ended", () => {
    const { first } = targets([]);
    const [one, two] = [beginAttempt(first, 0), beginAttempt(first, 0)];
    expect(first.inFlight).toBe(2);
    one.succeeded();
    expect(first.inFlight).toBe(2);
    one.ended();
    two.abandoned();
    two.ended();
    expect(first.inFlight).toBe(0);
  });

  test("that rejects an invalid request is healthy, and its earlier failures are cleared", () => {
    const { first } = targets([]);
    for (let round = 0; round < 5; round++) {
      fails(first, statusFault(500));
      fails(first, statusFault(400));
      fails(first, statusFault(400, { code: "context_length_exceeded" }));
    }
    expect(first.circuit.state).toBe("closed");
  });

  test.each([429, 503, 529])("is paused for the wait that it asks for with %d", (status) => {
    const { first, clock } = targets(["only"]);
    fails(first, statusFault(status, { retryAfterMs: 7_000 }));
    expect(first.circuit.openUntil).toBe(clock.now() + 7_000);
    expect(first.circuit.isWaitRequested).toBe(true);
  });

  test("is not paused for a wait that comes with another fault", () => {
    const { first } = targets([]);
    fails(first, statusFault(500, { retryAfterMs: 7_000 }));
    expect(first.circuit.state).toBe("closed");
  });

  test("opens after consecutive faults, closes after a probe, and reports both with its name", () => {
    const { first, clock, changes } = targets([]);
    fails(first, new UpstreamFault("unreachable", "x"));
    fails(first, new UpstreamFault("first_byte_timeout", "x"));
    clock.advance(30_000);
    succeeds(first, clock);
    expect(changes).toEqual(["vendor/m open", "vendor/m half_open", "vendor/m closed"]);
  });

  test("has at least the latency for which it was silent while another target answered", () => {
    const { first, clock } = targets([]);
    const lose = (milliseconds: number) => {
      const watch = beginAttempt(first, 0);
      watch.lost(milliseconds);
      watch.ended();
    };
    lose(3_000);
    expect(first.latency.at(clock.now())).toBe(3_000);
    // It lost before it could have answered, so its latency is unchanged.
    lose(5);
    expect(first.latency.at(clock.now())).toBe(3_000);
  });
});

describe("a provider with one credential, or none", () => {
  test.each([[[]], [["only"]]])("uses it once for a request, for any fault", (apiKeys) => {
    const { first, clock } = targets(apiKeys);
    expect(fails(first, statusFault(401))).toBe(0);
    expect(first.pickCredential([])).toBe(0);
    expect(first.pickCredential([0])).toBe(-1);
    expect(first.credentialAt()).toBeLessThanOrEqual(clock.now());
    fails(first, statusFault(401));
    expect(first.circuit.state).toBe("open");
  });
});

describe("a provider with several credentials", () => {
  test("uses them round robin over all of its models", () => {
    const { all } = targets(["a", "b", "c"], ["m", "n"]);
    const used = Array.from({ length: 6 }, (_, call) => {
      const health = all[call % 2];
      const credential = health?.pickCredential([]) ?? -1;
      const watch = health && beginAttempt(health, credential);
      watch?.abandoned();
      watch?.ended();
      return credential;
    });
    expect(used).toEqual([0, 1, 2, 0, 1, 2]);
  });

  test.each([401, 402])("pauses one that is rejected with %d for all models and uses the others", (status) => {
    const { all, first, clock } = targets(["a", "b"], ["m", "n"]);
    for (let round = 0; round < 3; round++) {
      expect(fails(first, statusFault(status))).toBe(0);
      for (const health of all) {
        expect(health.pickCredential([])).toBe(1);
        expect(health.circuit.state).toBe("closed");
      }
      clock.advance(30_000);
      // Round robin: the first one is next again.
      beginAttempt(first, 1).ended();
      expect(first.pickCredential([])).toBe(0);
    }
  });

  test("pauses one that has no access to a model for that model only", () => {
    const { all } = targets(["a", "b"], ["m", "n"]);
    const [m, n] = all;
    expect(m && fails(m, statusFault(403))).toBe(0);
    expect(m && fails(m, statusFault(403))).toBe(1);
    expect(m?.pickCredential([])).toBe(-1);
    expect(n?.pickCredential([])).not.toBe(-1);
  });

  test("pauses one that is rate-limited for that model, for the requested wait or a second", () => {
    const { all, clock } = targets(["a", "b"], ["m", "n"]);
    const [m, n] = all;
    expect(m && fails(m, statusFault(429, { retryAfterMs: 4_000 }))).toBe(0);
    expect(m?.circuit.state).toBe("closed");
    if (n) beginAttempt(n, 1).ended();
    expect(n?.pickCredential([])).toBe(0);
    expect(m?.pickCredential([])).toBe(1);
    clock.advance(4_000);
    expect(m?.pickCredential([])).toBe(0);

    expect(m && fails(m, statusFault(429))).toBe(0);
    if (m) beginAttempt(m, 1).ended();
    expect(m?.pickCredential([])).toBe(1);
    clock.advance(1_000);
    expect(m?.pickCredential([])).toBe(0);
  });

  test("does not use one twice for the same request", () => {
    const { first } = targets(["a", "b", "c"]);
    expect(first.pickCredential([0])).toBe(1);
    expect(first.pickCredential([0, 1])).toBe(2);
    expect(first.pickCredential([0, 1, 2])).toBe(-1);
  });

  test("counts a failure of the target once all are paused, and reports when one is usable", () => {
    const { first, clock } = targets(["a", "b"]);
    fails(first, statusFault(401));
    clock.advance(10_000);
    expect(first.circuit.failureRate).toBe(0);
    fails(first, statusFault(401));
    expect(first.circuit.failureRate).toBe(1);
    expect(first.pickCredential([])).toBe(-1);
    expect(first.credentialAt()).toBe(clock.now() + 20_000);
  });

  test("is paused until the first is usable, once all are asked to wait", () => {
    const { first, clock } = targets(["a", "b"]);
    fails(first, statusFault(429, { retryAfterMs: 9_000 }));
    clock.advance(1_000);
    fails(first, statusFault(429, { retryAfterMs: 20_000 }));
    expect(first.circuit.openUntil).toBe(clock.now() + 8_000);
    expect(first.circuit.isWaitRequested).toBe(true);
  });

  test("is paused as a whole if it is overloaded", () => {
    const { first, clock } = targets(["a", "b"]);
    fails(first, statusFault(503, { retryAfterMs: 5_000 }));
    expect(first.circuit.openUntil).toBe(clock.now() + 5_000);
  });

  test("lets the next request probe if the credential of a probe was rejected", () => {
    const { first, clock } = targets(["a", "b"]);
    fails(first, statusFault(500));
    fails(first, statusFault(500));
    clock.advance(30_000);
    fails(first, statusFault(401));
    expect(first.circuit.state).toBe("half_open");
    expect(first.circuit.admits()).toBe(true);
    succeeds(first, clock);
    expect(first.circuit.state).toBe("closed");
  });
});
