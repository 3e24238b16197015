import type { ApiKey } from "../access/key.ts";

/** Keys found lately, at most `limit` of them; the one that came first goes first. Unknown ids are not kept. */
export interface KeyCache {
  get(id: string): ApiKey | undefined;
  set(key: ApiKey): void;
  delete(id: string): void;
  clear(): void;
}

export function createKeyCache(limit: number): KeyCache {
  const keys = new Map<string, ApiKey>();
  return {
    get: (id) => keys.get(id),
    set(key) {
      if (keys.size >= limit) {
        for (const oldest of keys.keys()) {
          keys.delete(oldest);
          break;
        }
      }
      keys.set(key.id, key);
    },
    delete: (id) => void keys.delete(id),
    clear: () => keys.clear(),
  };
}
