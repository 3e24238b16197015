import type { Clock } from "../clock.ts";
import { overloaded } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ApiKey, KeyStore } from "./key.ts";

/** Keys remembered at most; who came first goes first. */
const mostKeys = 10_000;
/** How long a request with a remembered key waits for a store that may be away. */
const patienceMs = 500;
/** How often a store that is away is asked again, by one request. */
const retryMs = 1_000;

/**
 * A key store whose keys keep working while the storage is away: a key that was found before serves as it was then,
 * since nobody can have changed it in a storage that does not answer. While the storage answers, its word alone counts.
 * @throws 503 where the storage does not answer and the key was never seen
 */
export function rememberKeys(store: KeyStore, { clock, log }: { clock: Clock; log: Log }): KeyStore {
  const remembered = new Map<string, ApiKey>();
  /** Null while the store answers. */
  let askAgainAt: number | null = null;

  function answered(id: string, key: ApiKey | null): ApiKey | null {
    askAgainAt = null;
    if (key === null) remembered.delete(id);
    else if (remembered.get(id) !== key) remember(key);
    return key;
  }

  function remember(key: ApiKey): void {
    remembered.set(key.id, key);
    if (remembered.size <= mostKeys) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
  }

  function failed(id: string, error: unknown): ApiKey {
    if (askAgainAt === null) {
      log.warn({ error: String(error) }, "the storage does not answer for keys; those seen before serve as they were");
    }
    askAgainAt = clock.now() + retryMs;
    const key = remembered.get(id);
    if (key !== undefined) return key;
    throw overloaded("storage_unavailable", "API keys cannot be checked at the moment.", 5);
  }

  return {
    ...store,
    find(id) {
      const known = remembered.get(id);
      const now = askAgainAt === null ? 0 : clock.now();
      if (known && askAgainAt !== null && now < askAgainAt) return known;
      // Of the requests that come meanwhile, none waits for the same answer.
      if (askAgainAt !== null) askAgainAt = now + retryMs;
      try {
        const found = store.find(id);
        if (!(found instanceof Promise)) return answered(id, found);
        const asked = known ? inTime(found) : found;
        return asked.then(
          (key) => answered(id, key),
          (error: unknown) => failed(id, error),
        );
      } catch (error) {
        return failed(id, error);
      }
    },
  };
}

async function inTime<T>(asked: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${patienceMs} ms.`)), patienceMs);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
