import type { Log } from "../../log.ts";
import type { RouteDefinition } from "../names/route.ts";
import type { RouteStore, StoredRoute } from "./route-store.ts";

/** A stored route, and why it is not in force; null where it is. */
export interface FollowedRoute extends StoredRoute {
  readonly problem: string | null;
}

export interface StoredRoutes {
  /** As they were when the storage answered last, by id. */
  list(): readonly FollowedRoute[];
  /** Asks the storage now. Never rejects: what fails is tried again at the next turn. */
  refresh(): Promise<void>;
  /** Resolves when the storage is no longer asked. */
  stop(): Promise<void>;
}

export interface StoredRoutesOptions {
  readonly store: Pick<RouteStore, "version" | "list">;
  /** Puts them in force and answers those that make no sense. */
  readonly apply: (definitions: readonly RouteDefinition[]) => readonly { id: string; problem: string }[];
  readonly log: Pick<Log, "info" | "warn">;
  /** Between two questions whether something has changed. */
  readonly intervalMs?: number;
}

/** Keeps the stored routes in force, whichever process changes them. Resolves when those there are have been read. */
export async function followStoredRoutes(options: StoredRoutesOptions): Promise<StoredRoutes> {
  const { store, apply, log, intervalMs = 1_000 } = options;
  let version: number | null = null;
  let followed: readonly FollowedRoute[] = [];
  let told: ReadonlyMap<string, string> = new Map();
  let isAway = false;
  let underWay = 0;
  let round: Promise<void> = Promise.resolve();

  async function load(): Promise<void> {
    try {
      // Asked before the list: what changes in between is seen in the next round.
      const newest = await store.version();
      if (newest !== version) {
        putInForce(await store.list());
        version = newest;
      }
      if (isAway) log.info({}, "the stored routes can be read again");
      isAway = false;
    } catch (error) {
      if (!isAway) log.warn({ error: String(error) }, "the stored routes cannot be read; those known stay in force");
      isAway = true;
    } finally {
      underWay--;
    }
  }

  function putInForce(stored: readonly StoredRoute[]): void {
    const problems = new Map(apply(stored.map(({ definition }) => definition)).map(({ id, problem }) => [id, problem]));
    followed = stored.map((route) => ({ ...route, problem: problems.get(route.definition.id) ?? null }));
    for (const [id, problem] of problems) {
      if (told.get(id) !== problem) log.warn({ route: id, problem }, "a stored route is left out");
    }
    told = problems;
  }

  function refresh(): Promise<void> {
    underWay++;
    round = round.then(load);
    return round;
  }

  await refresh();
  const timer = setInterval(() => {
    if (underWay === 0) void refresh();
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
