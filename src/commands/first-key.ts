import type { KeyStore } from "../access/key.ts";
import { systemClock } from "../clock.ts";

/** Makes the storage's first key, which may do everything; null where there is a key already. */
export async function makeFirstKey(keys: KeyStore): Promise<string | null> {
  if ((await keys.list()).length > 0) return null;
  const { createKey } = await import("../access/manage.ts");
  const settings = {
    name: "first",
    scopes: { models: null, endpoints: null },
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    expiresAt: null,
    admin: false,
  };
  return (await createKey(keys, settings, systemClock)).key;
}
