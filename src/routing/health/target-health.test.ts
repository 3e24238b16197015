import { describe, expect, test } from "bun:test";
import { UpstreamFault } from "../../upstream/fault.ts";
import { exampleProvider, type SimulatedClock, simulatedClock, statusFault } from "../choice/candidate.example.ts";
import { createProviderHealth } from "./provider-health.ts";
import { createTargetHealth, type TargetHealth } from "./target-health.ts";

/** Targets of one provider, with one clock. */
function targets(apiKeys: readonly string[], models: readonly string[] = ["m"]) {
  const clock = simulatedClock();
  const provider = exampleProvider({
    apiKeys,
    circuit: { failures: 2, openMs: 30_000, failureRate: 2, leastCalls: 20 },
  });
  const shared = createProviderHealth(provider);
  const changes: string[] = [];
  const onChange = (label: string, state: string) => void changes.push(`${label} ${state}`);
  const all = models.map((model) => createTargetHealth({ provider, model, shared, clock, onChange }));
  const [first] = all;
  if (!first) throw new Error("There is no target.");
  return { clock, changes, first, all };
}

/** One call with the next credential, which fails. Which credential it was. */
function fails(health: TargetHealth, fault: UpstreamFault): number {
  const credential = health.pickCredential([]);
  const watch = health.begin(credential);
  watch.failed(fault);
  watch.ended();
  return credential;
}

function succeeds(health: TargetHealth, clock: SimulatedClock, milliseconds = 100): void {
  const watch = health.begin(Math.max(0, health.pickCredential([])));
  clock.advance(milliseconds);
  watch.answered(milliseconds);
  watch.succeeded();
  watch.ended();
}

describe("a target", () => {
  test("counts its calls until they have ended, and takes a place at its provider", () => {
    const { first } = targets([]);
    const [one, two] = [first.begin(0), first.begin(0)];
    expect(first.inFlight).toBe(2);
    one.succeeded();
    expect(first.inFlight).toBe(2);
    one.ended();
    two.abandoned();
    two.ended();
    expect(first.inFlight).toBe(0);
  });

  test("is well when it says what is wrong with a request, and forgives what was before", () => {
    const { first } = targets([]);
    for (let round = 0; round < 5; round++) {
      fails(first, statusFault(500));
      fails(first, statusFault(400));
      fails(first, statusFault(400, { code: "context_length_exceeded" }));
    }
    expect(first.circuit.state).toBe("closed");
  });

  test.each([429, 503, 529])("rests for the wait that it tells with %d", (status) => {
    const { first, clock } = targets(["only"]);
    fails(first, statusFault(status, { retryAfterMs: 7_000 }));
    expect(first.circuit.openUntil).toBe(clock.now() + 7_000);
    expect(first.circuit.isWaitTold).toBe(true);
  });

  test("does not rest for a wait that comes with another fault", () => {
    const { first } = targets([]);
    fails(first, statusFault(500, { retryAfterMs: 7_000 }));
    expect(first.circuit.state).toBe("closed");
  });

  test("opens by faults in a row, says so with its name, and closes by a probe", () => {
    const { first, clock, changes } = targets([]);
    fails(first, new UpstreamFault("unreachable", "x"));
    fails(first, new UpstreamFault("first_byte_timeout", "x"));
    clock.advance(30_000);
    succeeds(first, clock);
    expect(changes).toEqual(["vendor/m open", "vendor/m half_open", "vendor/m closed"]);
  });

  test("is as slow as it was silent, where another one was quicker", () => {
    const { first, clock } = targets([]);
    const lose = (milliseconds: number) => {
      const watch = first.begin(0);
      watch.lost(milliseconds);
      watch.ended();
    };
    lose(3_000);
    expect(first.latency.at(clock.now())).toBe(3_000);
    // It lost before it could have answered: nothing is learned.
    lose(5);
    expect(first.latency.at(clock.now())).toBe(3_000);
  });
});

describe("a provider with one credential, or none", () => {
  test.each([[[]], [["only"]]])("uses it once for a request, however it fails", (apiKeys) => {
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
  test("uses them in turn, whichever of its models is asked", () => {
    const { all } = targets(["a", "b", "c"], ["m", "n"]);
    const used = Array.from({ length: 6 }, (_, call) => {
      const health = all[call % 2];
      const credential = health?.pickCredential([]) ?? -1;
      const watch = health?.begin(credential);
      watch?.abandoned();
      watch?.ended();
      return credential;
    });
    expect(used).toEqual([0, 1, 2, 0, 1, 2]);
  });

  test.each([401, 402])(
    "lets one that is refused with %d rest at every model, and goes on with the others",
    (status) => {
      const { all, first, clock } = targets(["a", "b"], ["m", "n"]);
      for (let round = 0; round < 3; round++) {
        expect(fails(first, statusFault(status))).toBe(0);
        for (const health of all) {
          expect(health.pickCredential([])).toBe(1);
          expect(health.circuit.state).toBe("closed");
        }
        clock.advance(30_000);
        // In turn: the first one is asked again.
        first.begin(1).ended();
        expect(first.pickCredential([])).toBe(0);
      }
    },
  );

  test("lets one that may not use a model rest at that model alone", () => {
    const { all } = targets(["a", "b"], ["m", "n"]);
    const [m, n] = all;
    expect(m && fails(m, statusFault(403))).toBe(0);
    expect(m && fails(m, statusFault(403))).toBe(1);
    expect(m?.pickCredential([])).toBe(-1);
    expect(n?.pickCredential([])).not.toBe(-1);
  });

  test("lets one whose rate is used up rest at that model, for as long as it is told, or a second", () => {
    const { all, clock } = targets(["a", "b"], ["m", "n"]);
    const [m, n] = all;
    expect(m && fails(m, statusFault(429, { retryAfterMs: 4_000 }))).toBe(0);
    expect(m?.circuit.state).toBe("closed");
    n?.begin(1).ended();
    expect(n?.pickCredential([])).toBe(0);
    expect(m?.pickCredential([])).toBe(1);
    clock.advance(4_000);
    expect(m?.pickCredential([])).toBe(0);

    expect(m && fails(m, statusFault(429))).toBe(0);
    m?.begin(1).ended();
    expect(m?.pickCredential([])).toBe(1);
    clock.advance(1_000);
    expect(m?.pickCredential([])).toBe(0);
  });

  test("does not use one that a request has used already", () => {
    const { first } = targets(["a", "b", "c"]);
    expect(first.pickCredential([0])).toBe(1);
    expect(first.pickCredential([0, 1])).toBe(2);
    expect(first.pickCredential([0, 1, 2])).toBe(-1);
  });

  test("is the target's fault once all of them rest, and says from when on one may be used", () => {
    const { first, clock } = targets(["a", "b"]);
    fails(first, statusFault(401));
    clock.advance(10_000);
    expect(first.circuit.failureRate).toBe(0);
    fails(first, statusFault(401));
    expect(first.circuit.failureRate).toBe(1);
    expect(first.pickCredential([])).toBe(-1);
    expect(first.credentialAt()).toBe(clock.now() + 20_000);
  });

  test("rests until the first of them may be used, once all are told to wait", () => {
    const { first, clock } = targets(["a", "b"]);
    fails(first, statusFault(429, { retryAfterMs: 9_000 }));
    clock.advance(1_000);
    fails(first, statusFault(429, { retryAfterMs: 20_000 }));
    expect(first.circuit.openUntil).toBe(clock.now() + 8_000);
    expect(first.circuit.isWaitTold).toBe(true);
  });

  test("rests altogether where it is overloaded, whoever asks", () => {
    const { first, clock } = targets(["a", "b"]);
    fails(first, statusFault(503, { retryAfterMs: 5_000 }));
    expect(first.circuit.openUntil).toBe(clock.now() + 5_000);
  });

  test("keeps the place of a probe whose credential was refused for the next one", () => {
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
