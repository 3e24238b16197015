import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { simulatedClock } from "../choice/candidate.testkit.ts";
import { createCircuit } from "./circuit.ts";

const rules = { failures: 3, openMs: 30_000, failureRate: 2, minCalls: 20 };

function simulation(changed: Partial<typeof rules> = {}) {
  const clock = simulatedClock();
  const changes: string[] = [];
  const circuit = createCircuit({ rules: { ...rules, ...changed }, clock, onChange: (state) => changes.push(state) });
  const fails = (times: number) => {
    for (let time = 0; time < times; time++) circuit.failed(circuit.begin());
  };
  const succeeds = (times: number) => {
    for (let time = 0; time < times; time++) {
      circuit.answered(circuit.begin());
      circuit.succeeded();
    }
  };
  return { clock, changes, circuit, fails, succeeds };
}

describe("a closed circuit", () => {
  test("opens after the configured number of consecutive failures and reports it once", () => {
    const { circuit, changes, fails, succeeds, clock } = simulation();
    fails(2);
    succeeds(1);
    fails(2);
    expect(circuit.state).toBe("closed");
    fails(1);
    expect(circuit.state).toBe("open");
    expect(circuit.openUntil).toBe(clock.now() + 30_000);
    expect(circuit.isWaitRequested).toBe(false);
    expect(changes).toEqual(["open"]);
  });

  test("opens if the failure rate of the last minute is too high, but not before the minimum number of calls", () => {
    const { circuit, fails, succeeds } = simulation({ failures: 1_000, failureRate: 0.5, minCalls: 10 });
    fails(2);
    succeeds(4);
    fails(3);
    expect(circuit.state).toBe("closed");
    fails(1);
    expect(circuit.state).toBe("open");
  });

  test("forgets failures older than a minute", () => {
    const { circuit, fails, clock } = simulation({ failures: 1_000, failureRate: 0.5, minCalls: 10 });
    fails(9);
    clock.advance(61_000);
    fails(9);
    expect(circuit.state).toBe("closed");
    expect(circuit.failureRate).toBe(1);
    clock.advance(61_000);
    expect(circuit.failureRate).toBe(0);
  });

  test("opens for the full period if the provider is overloaded repeatedly, even if it asks for short waits", () => {
    const { circuit, clock } = simulation();
    for (let time = 0; time < 2; time++) {
      circuit.pause(circuit.begin(), clock.now() + 100, true);
      clock.advance(100);
    }
    circuit.pause(circuit.begin(), clock.now() + 100, true);
    expect(circuit.openUntil).toBe(clock.now() + 30_000);
    expect(circuit.isWaitRequested).toBe(false);
  });

  test("ignores abandoned requests", () => {
    const { circuit } = simulation();
    for (let time = 0; time < 10; time++) circuit.abandoned(circuit.begin());
    expect(circuit.state).toBe("closed");
    expect(circuit.failureRate).toBe(0);
  });
});

describe("an open circuit", () => {
  test("admits no request until its time, and then a single probe", () => {
    const { circuit, clock, fails, changes } = simulation();
    fails(3);
    clock.advance(29_999);
    expect(circuit.admits()).toBe(false);
    clock.advance(1);
    expect(circuit.admits()).toBe(true);
    circuit.begin();
    expect(circuit.state).toBe("half_open");
    expect(circuit.openUntil).toBeNull();
    expect(circuit.admits()).toBe(false);
    expect(changes).toEqual(["open", "half_open"]);
  });

  test("is not extended by requests that were in flight when it opened", () => {
    const { circuit, clock, fails } = simulation();
    const late = circuit.begin();
    fails(3);
    clock.advance(20_000);
    circuit.failed(late);
    clock.advance(10_000);
    expect(circuit.admits()).toBe(true);
  });

  test("is extended by a requested wait only if that ends later", () => {
    const { circuit, clock } = simulation();
    const [first, second, third] = [circuit.begin(), circuit.begin(), circuit.begin()];
    circuit.pause(first, clock.now() + 5_000);
    expect(circuit.isWaitRequested).toBe(true);
    circuit.pause(second, clock.now() + 1_000);
    expect(circuit.openUntil).toBe(clock.now() + 5_000);
    circuit.pause(third, clock.now() + 9_000);
    expect(circuit.openUntil).toBe(clock.now() + 9_000);
  });
});

describe("a probe", () => {
  const halfOpen = (changed: Partial<typeof rules> = {}) => {
    const simulated = simulation(changed);
    simulated.fails(changed.failures ?? rules.failures);
    simulated.clock.advance(30_000);
    return { ...simulated, probe: simulated.circuit.begin() };
  };

  test("that answers closes the circuit, and one more failure opens it again", () => {
    const { circuit, probe, changes } = halfOpen();
    circuit.answered(probe);
    expect(circuit.state).toBe("closed");
    expect(circuit.failureRate).toBe(0);
    circuit.failed(probe);
    expect(circuit.state).toBe("open");
    expect(changes).toEqual(["open", "half_open", "closed", "open"]);
  });

  test("that completes clears the earlier failures", () => {
    const { circuit, probe, fails } = halfOpen();
    circuit.answered(probe);
    circuit.succeeded();
    fails(2);
    expect(circuit.state).toBe("closed");
  });

  test("that fails opens the circuit for another period", () => {
    const { circuit, probe, clock } = halfOpen();
    clock.advance(1_000);
    circuit.failed(probe);
    expect(circuit.openUntil).toBe(clock.now() + 30_000);
  });

  test("that is asked to wait opens the circuit for that wait", () => {
    const { circuit, probe, clock } = halfOpen();
    circuit.pause(probe, clock.now() + 2_000);
    expect(circuit.openUntil).toBe(clock.now() + 2_000);
    expect(circuit.isWaitRequested).toBe(true);
    clock.advance(2_000);
    expect(circuit.admits()).toBe(true);
  });

  test("that is asked to wait needs no further probe when the wait is over", () => {
    const { circuit, probe, clock, changes } = halfOpen();
    circuit.pause(probe, clock.now() + 2_000);
    clock.advance(2_000);
    circuit.begin();
    expect(circuit.state).toBe("closed");
    circuit.begin();
    expect(circuit.admits()).toBe(true);
    expect(changes.at(-1)).toBe("closed");
  });

  test("that is abandoned is followed by another probe", () => {
    const { circuit, probe, changes } = halfOpen();
    circuit.abandoned(probe);
    expect(circuit.state).toBe("half_open");
    expect(circuit.admits()).toBe(true);
    circuit.begin();
    expect(circuit.admits()).toBe(false);
    expect(changes).toEqual(["open", "half_open"]);
  });

  test("that ended long ago is not mistaken for the current one", () => {
    const { circuit, probe, clock, fails } = halfOpen();
    circuit.answered(probe);
    fails(1);
    clock.advance(30_000);
    const second = circuit.begin();
    expect(second).not.toBe(probe);
    circuit.abandoned(probe);
    expect(circuit.admits()).toBe(false);
    circuit.failed(probe);
    expect(circuit.state).toBe("half_open");
  });
});

type Event = "begin" | "answered" | "succeeded" | "failed" | "pause" | "abandoned" | "wait";
const event = fc.record({
  what: fc.constantFrom<Event>("begin", "begin", "answered", "succeeded", "failed", "pause", "abandoned", "wait"),
  which: fc.nat(20),
  ms: fc.constantFrom(0, 1, 500, 9_999, 10_000, 40_000),
});

test("in any order of outcomes: never two probes at once, no probe lost, each change reported once", () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 120, size: "max" }),
      fc.integer({ min: 1, max: 4 }),
      (events, failures) => {
        const clock = simulatedClock();
        const changes: string[] = ["closed"];
        const circuit = createCircuit({
          rules: { ...rules, failures, openMs: 10_000 },
          clock,
          onChange: (state) => changes.push(state),
        });
        /** Requests in flight, and whether each is a probe without an outcome so far. */
        const inFlight: { pass: number; isProbe: boolean }[] = [];

        for (const { what, which, ms } of events) {
          const place = inFlight.length === 0 ? -1 : which % inFlight.length;
          const one = inFlight[place];
          if (what === "wait") clock.advance(ms);
          else if (what === "begin") {
            const probes = inFlight.filter(({ isProbe }) => isProbe).length;
            const isWaiting = circuit.openUntil !== null && clock.now() < circuit.openUntil;
            expect(circuit.admits()).toBe(circuit.state === "closed" || (!isWaiting && probes === 0));
            if (!circuit.admits()) continue;
            const pass = circuit.begin();
            inFlight.push({ pass, isProbe: circuit.state === "half_open" });
          } else if (one && what === "answered") {
            circuit.answered(one.pass);
            one.isProbe = false;
          } else if (one) {
            inFlight.splice(place, 1);
            if (what === "succeeded") {
              circuit.answered(one.pass);
              circuit.succeeded();
            } else if (what === "pause") circuit.pause(one.pass, clock.now() + ms);
            else circuit[what](one.pass);
          }
          expect(changes.at(-1)).toBe(circuit.state);
        }
        expect(changes.every((state, place) => state !== changes[place + 1])).toBe(true);
        // Requests pass again once all have ended and time has passed.
        for (const { pass } of inFlight.splice(0)) circuit.abandoned(pass);
        clock.advance(40_000);
        expect(circuit.admits()).toBe(true);
      },
    ),
  );
});
