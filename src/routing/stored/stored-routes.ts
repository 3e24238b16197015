import type { Log } from "../../log.ts";
import type { RouteDefinition } from "../names/route.ts";
import { type FollowedStore, followStore } from "./follow-store.ts";
import type { RouteStore, StoredRoute } from "./route-store.ts";

/** A stored route and its state. */
export interface FollowedRoute extends StoredRoute {
  /** Why it is not in force; null if it is. */
  readonly problem: string | null;
}

export interface StoredRoutes extends FollowedStore {
  /** The routes last read from the storage, ordered by id. */
  list(): readonly FollowedRoute[];
}

export interface StoredRoutesOptions {
  readonly store: Pick<RouteStore, "version" | "list">;
  /** Puts the routes in force and returns the invalid ones. */
  readonly apply: (definitions: readonly RouteDefinition[]) => readonly { id: string; problem: string }[];
  readonly log: Pick<Log, "info" | "warn">;
  /** The interval at which the storage is checked for changes. */
  readonly intervalMs?: number;
}

/** Keeps the stored routes in force, also after changes by other processes. Resolves after the first read. */
export async function followStoredRoutes(options: StoredRoutesOptions): Promise<StoredRoutes> {
  const { store, log, intervalMs } = options;
  let followed: readonly FollowedRoute[] = [];
  let reported: ReadonlyMap<string, string> = new Map();

  function apply(stored: readonly StoredRoute[]): void {
    const found = options.apply(stored.map(({ definition }) => definition));
    const problems = new Map(found.map(({ id, problem }) => [id, problem]));
    followed = stored.map((route) => ({ ...route, problem: problems.get(route.definition.id) ?? null }));
    for (const [id, problem] of problems) {
      if (reported.get(id) !== problem) log.warn({ route: id, problem }, "A stored route is invalid and not in force.");
    }
    reported = problems;
  }

  const following = await followStore({ store, apply, what: "routes", log, intervalMs });
  return { list: () => followed, ...following };
}
