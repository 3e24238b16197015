import type { Clock } from "../clock.ts";
import { overloaded } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ApiKey, KeyStore } from "./key.ts";

/** Maximum number of cached keys; beyond it the oldest are dropped. */
const maxKeys = 10_000;
/** How long a request with a cached key waits for the store. */
const timeoutMs = 500;
/** Interval at which a failing store is tried again, by one request. */
const retryMs = 1_000;

/**
 * Wraps a key store so that known keys keep working while the storage is unavailable. While the storage answers, its
 * answers alone count.
 * @throws 503 if the storage is unavailable and the key is not known
 */
export function cacheKeys(store: KeyStore, { clock, log }: { clock: Clock; log: Log }): KeyStore {
  const cached = new Map<string, ApiKey>();
  /** The time of the next try; null while the store answers. */
  let retryAt: number | null = null;

  function answered(id: string, key: ApiKey | null): ApiKey | null {
    retryAt = null;
    if (key === null) cached.delete(id);
    else if (cached.get(id) !== key) cache(key);
    return key;
  }

  function cache(key: ApiKey): void {
    cached.set(key.id, key);
    if (cached.size <= maxKeys) return;
    const [oldest] = cached.keys();
    if (oldest !== undefined) cached.delete(oldest);
  }

  function failed(id: string, error: unknown): ApiKey {
    if (retryAt === null) {
      log.warn({ error: String(error) }, "The storage is unavailable. Known API keys keep working.");
    }
    retryAt = clock.now() + retryMs;
    const key = cached.get(id);
    if (key !== undefined) return key;
    throw overloaded("storage_unavailable", "API keys cannot be verified at the moment.", 5);
  }

  return {
    ...store,
    find(id) {
      const known = cached.get(id);
      const now = retryAt === null ? 0 : clock.now();
      if (known && retryAt !== null && now < retryAt) return known;
      // Requests that arrive meanwhile do not wait for the same answer.
      if (retryAt !== null) retryAt = now + retryMs;
      try {
        const found = store.find(id);
        if (!(found instanceof Promise)) return answered(id, found);
        const pending = known ? withTimeout(found) : found;
        return pending.then(
          (key) => answered(id, key),
          (error: unknown) => failed(id, error),
        );
      } catch (error) {
        return failed(id, error);
      }
    },
  };
}

async function withTimeout<T>(pending: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs);
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}
