import { type Rate, usdText } from "../../billing/prices/rate.ts";
import type { ConfiguredBackend } from "../names/backend-model.ts";
import { keyHint } from "../stored/key-hint.ts";
import type { StoredBackend } from "./backend-store.ts";

/** A backend as far as its configuration and its state in the storage go. */
export interface ShownBackend {
  readonly id: string;
  /** Null for one of the configuration. */
  readonly stored: StoredBackend | null;
  readonly line: number | null;
  /** Null if it is invalid and not in force. */
  readonly backend: ConfiguredBackend | null;
  readonly problem: string | null;
}

/**
 * A backend as operators see it, in the names of the configuration. Of its credentials it says whether there are any, and at
 * most the last characters of its first key. One that is not in force is shown as it is stored.
 */
export function backendView({ id, stored, line, backend, problem }: ShownBackend) {
  return {
    object: "search_backend" as const,
    id,
    source: stored === null ? ("config" as const) : ("storage" as const),
    locked: stored === null,
    line,
    ...(backend === null ? rawFields(stored) : backendFields(backend)),
    has_api_key: stored ? stored.sealed.apiKeys !== null : (backend?.provider.apiKeys.length ?? 0) > 0,
    api_key_hint: keyHint(backend?.provider.apiKeys[0]),
    has_headers: stored ? stored.sealed.headers !== null : Object.keys(backend?.provider.headers ?? {}).length > 0,
    updated_at: stored === null ? null : Math.floor(stored.updatedAt / 1000),
    problem,
  };
}

/** The settings of a backend, in the names of the configuration. */
export function backendFields({ provider, settings, prices }: ConfiguredBackend) {
  return {
    name: settings.name,
    provider: settings.provider,
    base_url: provider.baseUrl,
    search_price: priceOf(prices?.web_search ?? null),
    cost: prices?.cost ?? null,
    max_results: settings.maxResults,
    timeout_ms: provider.timeouts.totalMs,
    max_in_flight: provider.maxInFlight,
    enabled: settings.isEnabled,
    priority: settings.priority,
    weight: settings.weight,
    allow_fallback: settings.mayFallBack,
    cache: settings.mayCache,
  };
}

/** What is stored of a backend that cannot be read: null for what it has no value for. */
function rawFields(stored: StoredBackend | null): Readonly<Record<string, unknown>> {
  return stored?.fields ?? {};
}

/** USD, as a number if it is the same number in decimal. */
function priceOf(rate: Rate | null): number | string | null {
  if (rate === null) return null;
  const text = usdText(rate);
  return String(Number(text)) === text ? Number(text) : text;
}
