import type { PriceDocument } from "../billing/prices/price-document.ts";
import type { Rate } from "../billing/prices/rate.ts";
import { findSearchProvider } from "../search/providers/registry.ts";
import type { Provider } from "../upstream/provider.ts";
import type { SearchBackendConfig } from "./config.ts";

/** The settings of a backend; the others have their defaults. */
export interface BackendSettings {
  readonly id: string;
  readonly name?: string | undefined;
  /** The name of a search provider. */
  readonly provider: string;
  /** The vendor's own address if not given. */
  readonly baseUrl?: string | undefined;
  readonly apiKeys?: readonly string[];
  readonly headers?: Provider["headers"];
  readonly prices?: PriceDocument | null;
  readonly maxResults?: number;
  readonly timeoutMs?: number;
  readonly maxInFlight?: number | null;
  readonly circuit?: Provider["circuit"];
  readonly enabled?: boolean;
  readonly priority?: number;
  readonly weight?: number;
  readonly allowFallback?: boolean;
  /** Whether answers may be kept; what the vendor's usual terms say if not given. */
  readonly cache?: boolean | undefined;
}

export const defaultSearch = { maxResults: 10, timeoutMs: 8_000, priority: 1, weight: 1 } as const;

export const defaultSearchCache = { ttlMs: 10 * 60_000, maxBytes: 64 << 20 } as const;

/** A connection is made within this time, in milliseconds, or within the whole time limit if that is shorter. */
const maxConnectMs = 5_000;

const circuit = { failures: 5, openMs: 30_000, failureRate: 0.5, minCalls: 20 };

/** A backend with its defaults. Throws an `Error` for a provider that does not exist, which the schema rules out. */
export function backendOf(settings: BackendSettings): SearchBackendConfig {
  const { id, timeoutMs = defaultSearch.timeoutMs } = settings;
  const provider = findSearchProvider(settings.provider);
  if (!provider) throw new Error(`There is no search provider '${settings.provider}'.`);
  const { units, maxUnits, cacheable } = provider.capabilities;
  return {
    id,
    provider: {
      id: provider.name,
      dialects: [provider.name],
      baseUrl: settings.baseUrl ?? provider.defaultBaseUrl ?? "",
      apiKeys: settings.apiKeys ?? [],
      headers: settings.headers ?? {},
      timeouts: {
        connectMs: Math.min(maxConnectMs, timeoutMs),
        firstByteMs: timeoutMs,
        idleMs: timeoutMs,
        totalMs: timeoutMs,
      },
      maxInFlight: settings.maxInFlight ?? null,
      circuit: settings.circuit ?? circuit,
      onCallerAbort: "cancel",
    },
    settings: {
      name: settings.name ?? id,
      provider: provider.name,
      isEnabled: settings.enabled ?? true,
      priority: settings.priority ?? defaultSearch.priority,
      weight: settings.weight ?? defaultSearch.weight,
      maxResults: settings.maxResults ?? defaultSearch.maxResults,
      mayFallBack: settings.allowFallback ?? false,
      mayCache: settings.cache ?? cacheable,
    },
    units: { ...units, max: maxUnits, ...(provider.fetch && { fetch: provider.fetch.units }) },
    prices: settings.prices ?? null,
  };
}

/**
 * The prices of a backend. If the provider's own cost is passed through, a search without one costs, and a hold is worked
 * out by, the price of a unit, or else the dearest that the vendor lists.
 * @throws an `Error` for a provider that does not exist
 */
export function backendPrices(
  provider: string,
  price: Rate | undefined,
  cost: "provider" | undefined,
): PriceDocument | null {
  if (price !== undefined) return { web_search: price, ...(cost && { cost }) };
  if (cost === undefined) return null;
  const { listPriceUsd = 0 } = findSearchProvider(provider)?.capabilities ?? {};
  return { web_search: Math.ceil(listPriceUsd * 1_000_000), cost };
}
