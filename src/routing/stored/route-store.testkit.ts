import type { RouteStore, StoredRoute } from "./route-store.ts";

/** A route store in memory. */
export function createMemoryRouteStore(): RouteStore {
  const routes = new Map<string, StoredRoute>();
  let changes = 0;
  return {
    version: async () => changes,
    list: async () => [...routes.values()].sort((one, other) => (one.definition.id < other.definition.id ? -1 : 1)),
    async put(route, version) {
      if (version !== changes) return false;
      routes.set(route.definition.id, route);
      changes++;
      return true;
    },
    async remove(id, version) {
      if (version !== changes || !routes.delete(id)) return false;
      changes++;
      return true;
    },
  };
}
