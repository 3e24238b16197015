import type { NewChange } from "../../changes/change.ts";
import type { BackendStore, StoredBackend } from "./backend-store.ts";

/** A store of backends in memory, with its entries of the audit trail. */
export function createMemoryBackendStore(): BackendStore & { readonly trail: readonly NewChange[] } {
  const backends = new Map<string, StoredBackend>();
  const trail: NewChange[] = [];
  let changes = 0;
  return {
    trail,
    version: async () => changes,
    list: async () => [...backends.values()].sort((one, other) => (one.id < other.id ? -1 : 1)),
    async put(changed, version, entries) {
      if (version !== changes) return false;
      for (const backend of changed) backends.set(backend.id, backend);
      trail.push(...entries);
      changes++;
      return true;
    },
    async remove(id, version, entry) {
      if (version !== changes || !backends.delete(id)) return false;
      trail.push(entry);
      changes++;
      return true;
    },
  };
}
