import type { CircuitState } from "./circuit.ts";
import type { Model } from "../names/model.ts";

/** One target as `GET /api/admin/health` shows it. */
export interface HealthView {
  /** Null if providers are hidden from callers. The log still names it. */
  readonly provider: string | null;
  /** Catalog id. */
  readonly model: string;
  /** The provider's own name for the model; hidden with the provider. Targets with the same provider and name share health. */
  readonly upstream_model: string | null;
  readonly state: CircuitState;
  readonly in_flight: number;
  /** The failed share of the last minute's calls, 0 to 1. */
  readonly error_rate: number;
  /** Moving average of the time to the first byte; null before the first answer. */
  readonly latency_ms: number | null;
  /** Unix seconds; null unless it is open. */
  readonly open_until: number | null;
}

/**
 * The health of each target of a model.
 * @param epoch the time of day at which the clock of the targets' health was 0, in milliseconds since 1970
 */
export function healthView(model: Model, hideProvider: boolean, epoch: number): HealthView[] {
  return model.targets.map(({ provider, model: upstreamModel, health }) => ({
    provider: hideProvider ? null : provider.id,
    model: model.id,
    upstream_model: hideProvider ? null : upstreamModel,
    state: health.circuit.state,
    in_flight: health.inFlight,
    error_rate: Math.round(health.circuit.failureRate * 1000) / 1000,
    latency_ms: health.latency.last === null ? null : Math.round(health.latency.last),
    open_until: health.circuit.openUntil === null ? null : Math.ceil((epoch + health.circuit.openUntil) / 1000),
  }));
}
