import type { ApiKey } from "../../../access/key.ts";
import { keyView } from "../../../access/key-view.ts";
import type { Services } from "../../../pipeline/services.ts";
import { withStorage } from "../input/with-storage.ts";

/** Keys as operators see them, with those who created them; null if that is not known. */
export async function showKeys(services: Services, keys: readonly ApiKey[]) {
  const ids = keys.map(({ id }) => id);
  const creators = await withStorage(services, () => services.managed.changes.creators("key", ids));
  const now = services.clock.now();
  return keys.map((key) => ({ ...keyView(key, now), created_by: creators.get(key.id) ?? null }));
}
