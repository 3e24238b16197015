import type { Target } from "../names/model.ts";
import { classOf } from "./fault-class.ts";
import { historyBucketMs, noOutcomes } from "./outcome-history.ts";
import type { LastFailure, TargetHealth } from "./target-health.ts";

/** The clocks by which health is shown. */
export interface HealthClocks {
  /** The time now by the clock of health, in milliseconds. */
  readonly now: number;
  /** The time of day at which that clock was 0, in milliseconds since 1970. */
  readonly epoch: number;
}

/** How the calls of some targets ended in each half hour of the last day, in this process; null if there were none. */
export function historyView(targets: Iterable<TargetHealth>, { now, epoch }: HealthClocks) {
  const sums = noOutcomes();
  let found = false;
  for (const { history } of targets) found = history.addTo(sums, now) || found;
  if (!found) return null;
  const end = (Math.floor(now / historyBucketMs) + 1) * historyBucketMs;
  return { bucket_seconds: historyBucketMs / 1000, until: Math.round((epoch + end) / 1000), ...sums };
}

/** The last failed call of some targets; null if none has failed. */
export function lastErrorView(targets: Iterable<TargetHealth>) {
  let last: LastFailure | null = null;
  for (const { lastFailure } of targets) {
    if (lastFailure !== null && lastFailure.at > (last?.at ?? 0)) last = lastFailure;
  }
  if (last === null) return null;
  const { fault, at, message } = last;
  return { class: classOf(fault), status: fault.status, at: Math.floor(at / 1000), message };
}

/** How the targets of a provider have been doing in this process. */
export function healthSummary(targets: ReadonlySet<TargetHealth>, clocks: HealthClocks) {
  const circuits = { closed: 0, open: 0, half_open: 0 };
  let inFlight = 0;
  for (const health of targets) {
    circuits[health.circuit.state]++;
    inFlight += health.inFlight;
  }
  const broken = circuits.open + circuits.half_open;
  const status = broken === 0 ? "healthy" : broken < targets.size ? "degraded" : "unhealthy";
  return {
    status,
    circuits,
    in_flight: inFlight,
    last_error: lastErrorView(targets),
    history: historyView(targets, clocks),
  } as const;
}

/** One target of a model, with its history. */
export function targetHealthView({ provider, model, health }: Target, clocks: HealthClocks) {
  const { circuit, latency, inFlight } = health;
  return {
    provider: provider.id,
    upstream_model: model,
    state: circuit.state,
    open_until: circuit.openUntil === null ? null : Math.ceil((clocks.epoch + circuit.openUntil) / 1000),
    in_flight: inFlight,
    error_rate: Math.round(circuit.failureRate * 1000) / 1000,
    latency_ms: latency.last === null ? null : Math.round(latency.last),
    last_error: lastErrorView([health]),
    history: historyView([health], clocks),
  };
}
