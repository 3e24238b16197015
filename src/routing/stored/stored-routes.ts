import type { Log } from "../../log.ts";
import type { RouteDefinition } from "../names/route.ts";
import type { RouteStore, StoredRoute } from "./route-store.ts";

/** A stored route and its state. */
export interface FollowedRoute extends StoredRoute {
  /** Why it is not in force; null if it is. */
  readonly problem: string | null;
}

export interface StoredRoutes {
  /** The routes last read from the storage, ordered by id. */
  list(): readonly FollowedRoute[];
  /** Reads the storage now. Never rejects: a failure is retried at the next interval. */
  refresh(): Promise<void>;
  /** Resolves when the storage is no longer in use. */
  stop(): Promise<void>;
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
  const { store, apply, log, intervalMs = 1_000 } = options;
  let version: number | null = null;
  let followed: readonly FollowedRoute[] = [];
  let reported: ReadonlyMap<string, string> = new Map();
  let isDown = false;
  let pendingReads = 0;
  let round: Promise<void> = Promise.resolve();

  async function load(): Promise<void> {
    try {
      // Read before the list: a change in between is seen in the next round.
      const newest = await store.version();
      if (newest !== version) {
        putInForce(await store.list());
        version = newest;
      }
      if (isDown) log.info({}, "The stored routes can be read again.");
      isDown = false;
    } catch (error) {
      if (!isDown)
        log.warn({ error: String(error) }, "The stored routes cannot be read. The known routes stay in force.");
      isDown = true;
    } finally {
      pendingReads--;
    }
  }

  function putInForce(stored: readonly StoredRoute[]): void {
    const problems = new Map(apply(stored.map(({ definition }) => definition)).map(({ id, problem }) => [id, problem]));
    followed = stored.map((route) => ({ ...route, problem: problems.get(route.definition.id) ?? null }));
    for (const [id, problem] of problems) {
      if (reported.get(id) !== problem) log.warn({ route: id, problem }, "A stored route is invalid and not in force.");
    }
    reported = problems;
  }

  function refresh(): Promise<void> {
    pendingReads++;
    round = round.then(load);
    return round;
  }

  await refresh();
  const timer = setInterval(() => {
    if (pendingReads === 0) void refresh();
  }, intervalMs);
  timer.unref();
  return {
    list: () => followed,
    refresh,
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}
