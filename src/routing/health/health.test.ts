import { expect, test } from "bun:test";
import { UpstreamFault } from "../../upstream/fault.ts";
import { sandboxProvider } from "../../config/defaults.ts";
import { barredHealth } from "./barred-health.ts";
import { createHealth } from "./health.ts";

const log = { debug() {}, info() {}, warn() {}, error() {}, request() {}, flush: async () => undefined };
const health = createHealth({ clock: { now: () => 1_000 }, log });
const provider = { ...sandboxProvider, circuit: { ...sandboxProvider.circuit, failures: 1 } };

test("the target of a changed provider begins anew, and calls that are under way end at the earlier one", () => {
  const before = health.of(provider, "m");
  before.failed(before.begin(0), 0, new UpstreamFault("unreachable", "no"));
  const pass = before.begin(0);
  expect(before.circuit.state).not.toBe("closed");
  const changed = { ...provider, apiKeys: ["another"] };
  const renewed = health.of(changed, "m");
  expect(renewed.circuit.state).toBe("closed");
  expect(renewed.provider.apiKeys).toEqual(["another"]);
  before.answered(pass, 5);
  before.ended();
  expect([renewed.inFlight, before.inFlight]).toEqual([0, 1]);
  expect(health.of(changed, "m")).toBe(renewed);
  expect(health.ofDerived(provider, "x")).not.toBe(health.ofDerived(changed, "x"));
  expect(health.ofDerived(changed, "x")).toBe(health.ofDerived(changed, "x"));
});

test("a barred target is never asked", () => {
  const barred = barredHealth(health.of(provider, "n"));
  expect(barred.circuit.admits()).toBe(false);
  expect(barred.circuit.state).toBe("open");
  expect(barred.pickCredential([])).toBe(-1);
  expect(() => barred.begin(0)).toThrow("must not be asked");
});

test("the log says for how long a circuit is open, by a clock that knows no date", () => {
  const lines: unknown[] = [];
  const warned = createHealth({
    clock: { now: () => 1_000 },
    log: { ...log, warn: (fields) => void lines.push(fields) },
  });
  const sick = warned.of(provider, "m");
  sick.failed(sick.begin(0), 0, new UpstreamFault("unreachable", "no"));
  expect(lines).toEqual([{ target: "sandbox/m", circuit: "open", open_ms: provider.circuit.openMs }]);
});
