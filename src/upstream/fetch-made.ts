import { lookUpHost, type Lookup } from "./address-guard-pin.ts";
import { fetchOne, type TakeBytes } from "./fetch-one.ts";
import { createSemaphore } from "./semaphore.ts";

/**
 * Fetches what a provider has made, from an address of its answer. Addresses that are not public are refused, except those
 * at the provider's own origin. Throws a `FetchProblem`, and a 503 if too much is fetched at once.
 */
export type FetchMade = (url: string, providerUrl: string, maxBytes: number, take: TakeBytes) => Promise<Uint8Array>;

export interface MadeFetcherOptions {
  /** Hosts, by name or address, that may be fetched from though they are not public. */
  readonly allowHosts: readonly string[];
  /** The system's resolver by default. */
  readonly lookup?: Lookup;
  /** Of one address; 60 seconds by default. */
  readonly timeoutMs?: number;
}

/** Of all requests together: bounds what fetching can hold in memory. */
const atOnce = 8;
const maxWaiting = 256;

export function createMadeFetcher(options: MadeFetcherOptions): FetchMade {
  const { lookup = lookUpHost, timeoutMs = 60_000 } = options;
  const allowHosts = new Set(options.allowHosts.map((host) => host.toLowerCase()));
  const semaphore = createSemaphore(atOnce, maxWaiting);
  return async (url, providerUrl, maxBytes, take) => {
    // By its origin, since a redirect must not lead to another port of the same host.
    const policy = { allowHosts, allowOrigin: URL.parse(providerUrl)?.origin ?? null, lookup };
    const { bytes } = await semaphore.run(() => fetchOne(url, "image/*", policy, { maxBytes, timeoutMs }, take));
    return bytes;
  };
}
