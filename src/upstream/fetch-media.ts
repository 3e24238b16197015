import type { FetchedSource, RemoteSource } from "../conversation/fields/remote-sources.ts";
import { invalidRequest, type GatewayError } from "../errors.ts";
import { lookUpHost, type Lookup } from "./address-guard-pin.ts";
import { FetchProblem, fetchOne } from "./fetch-one.ts";
import { mediaTypeOf } from "./media-type.ts";
import { createSemaphore } from "./semaphore.ts";

/**
 * Fetches what a provider cannot fetch for itself: all of a request's addresses, or none. Throws a 400 that names the
 * part if one cannot be had, and a 503 if too many callers want too much at once.
 */
export type FetchMedia = (sources: readonly RemoteSource[]) => Promise<ReadonlyMap<string, FetchedSource>>;

export interface MediaFetcherOptions {
  /** Hosts, by name or address, that may be fetched from though they are not public. */
  readonly allowHosts: readonly string[];
  /** The system's resolver by default. */
  readonly lookup?: Lookup;
  /** Of one address; 10 seconds by default. */
  readonly timeoutMs?: number;
  /** Of one address; 20 MiB by default. */
  readonly maxBytes?: number;
  /** Of all addresses of a request; 40 MiB by default. */
  readonly maxTotalBytes?: number;
}

/** Of one request. */
const maxAddresses = 64;
const atOncePerRequest = 4;
/** Of all requests together: bounds what fetching can hold in memory. */
const atOnce = 16;
const maxWaiting = 256;

const accepted = {
  image: "image/*",
  document: "application/pdf, text/*, application/json",
  audio: "audio/*",
  video: "video/*",
} as const;

export function createMediaFetcher(options: MediaFetcherOptions): FetchMedia {
  const { lookup = lookUpHost, timeoutMs = 10_000, maxBytes = 20 << 20, maxTotalBytes = 40 << 20 } = options;
  const policy = { allowHosts: new Set(options.allowHosts.map((host) => host.toLowerCase())), lookup };
  const semaphore = createSemaphore(atOnce, maxWaiting);

  return async (sources) => {
    const surplus = sources[maxAddresses];
    if (surplus) throw notFetched(surplus, `a request may hold at most ${maxAddresses} addresses`);
    let left = maxTotalBytes;
    const take = (bytes: number) => {
      left -= bytes;
      if (left < 0) throw new FetchProblem(`all addresses together are larger than ${maxTotalBytes} bytes`);
    };
    const fetchSource = async ({ url, kind }: RemoteSource): Promise<FetchedSource> => {
      const { bytes, contentType } = await fetchOne(url, accepted[kind], policy, { timeoutMs, maxBytes }, take);
      const mediaType = mediaTypeOf(kind, contentType, bytes);
      if (mediaType === null) throw new FetchProblem(`its content type is not one of ${accepted[kind]}`);
      return { mediaType, base64: Buffer.from(bytes).toString("base64") };
    };

    const fetched = new Map<string, FetchedSource>();
    const queue = sources.values();
    let failed = false;
    const work = async () => {
      for (const source of queue) {
        if (failed) return;
        try {
          fetched.set(source.url, await semaphore.run(() => fetchSource(source)));
        } catch (error) {
          failed = true;
          throw error instanceof FetchProblem ? notFetched(source, error.message) : error;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOncePerRequest, sources.length) }, work));
    return fetched;
  };
}

function notFetched({ path }: RemoteSource, why: string): GatewayError {
  const where = path === undefined ? "An address in the request" : `The address in '${path}'`;
  return invalidRequest("invalid_parameter", `${where} could not be fetched: ${why}.`, path ?? null);
}
