import type { Provider } from "../../upstream/provider.ts";
import { keyHint } from "../stored/key-hint.ts";
import type { ProviderEntry } from "./stored-catalog.ts";

/**
 * A provider as operators see it, in the names of the configuration. Of its credentials it says whether there are any, and at
 * most the last characters of its first key. One that is not in force is shown as it is stored.
 */
export function providerView({ id, stored, line, provider, problem }: ProviderEntry) {
  const sealed = stored?.sealed;
  return {
    object: "provider" as const,
    id,
    source: stored === null ? ("config" as const) : ("storage" as const),
    locked: stored === null,
    line,
    ...(provider === null ? stored?.fields : providerFields(provider)),
    has_api_key: sealed ? sealed.apiKeys !== null : (provider?.apiKeys.length ?? 0) > 0,
    api_key_hint: keyHint(provider?.apiKeys[0]),
    api_keys_count: provider?.apiKeys.length ?? 0,
    has_headers: sealed ? sealed.headers !== null : Object.keys(provider?.headers ?? {}).length > 0,
    has_webhook_secret: sealed ? (sealed.webhookSecret ?? null) !== null : provider?.webhook !== undefined,
    updated_at: stored === null ? null : Math.floor(stored.updatedAt / 1000),
    problem,
  };
}

/** The settings of a provider, in the names of the configuration. */
function providerFields({ dialects, baseUrl, timeouts, maxInFlight, circuit, onCallerAbort, tls }: Provider) {
  return {
    dialects,
    base_url: baseUrl,
    timeouts: {
      connect_ms: timeouts.connectMs,
      first_byte_ms: timeouts.firstByteMs,
      idle_ms: timeouts.idleMs,
      total_ms: timeouts.totalMs,
    },
    max_in_flight: maxInFlight,
    circuit: {
      failures: circuit.failures,
      open_ms: circuit.openMs,
      failure_rate: circuit.failureRate,
      least_calls: circuit.minCalls,
    },
    on_caller_abort: onCallerAbort,
    has_tls: tls !== undefined,
  };
}
