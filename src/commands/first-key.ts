import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { openStorage } from "../storage/open-storage.ts";

/** Makes the storage's first key, which may do everything; null where there is a key already. */
export async function makeFirstKey(config: Config): Promise<string | null> {
  const storage = await openStorage(config.storage.url);
  try {
    if ((await storage.keys.list()).length > 0) return null;
    const { createKey } = await import("../access/manage.ts");
    const request = {
      name: "first",
      scopes: { models: null, endpoints: null },
      limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
      expiresAt: null,
      admin: false,
    };
    return (await createKey(storage.keys, request, systemClock)).key;
  } finally {
    await storage.close();
  }
}
