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
  /** Looks at the problems again, after something else than the routes has changed. */
  recheck(): void;
}

export interface StoredRoutesOptions {
  readonly store: Pick<RouteStore, "version" | "list">;
  /** Puts the routes in force. */
  readonly apply: (definitions: readonly RouteDefinition[]) => void;
  /** Those that are invalid and not in force. */
  readonly problems: () => readonly { readonly id: string; readonly problem: string }[];
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
    options.apply(stored.map(({ definition }) => definition));
    check(stored);
  }

  function check(stored: readonly StoredRoute[]): void {
    const problems = new Map(options.problems().map(({ id, problem }) => [id, problem]));
    followed = stored.map((route) => ({ ...route, problem: problems.get(route.definition.id) ?? null }));
    for (const [id, problem] of problems) {
      if (reported.get(id) !== problem) log.warn({ route: id, problem }, "A stored route is invalid and not in force.");
    }
    reported = problems;
  }

  const following = await followStore({ store, apply, what: "routes", log, intervalMs });
  return { list: () => followed, recheck: () => check(followed), ...following };
}
