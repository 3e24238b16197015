import type { Actor } from "../../changes/change.ts";
import type { Clock } from "../../clock.ts";
import { GatewayError, overloaded } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { checkRoute, isAmong, putRoute, type ReadRoute, removeRoute } from "./change-routes.ts";
import type { RouteDefinition } from "../names/route.ts";
import type { RouteEntry } from "./route-view.ts";
import type { RouteStore } from "./route-store.ts";
import { followStoredRoutes, type StoredRoutesOptions } from "./stored-routes.ts";

/** The routes of a running gateway. A change is durable and in force in this process when its promise resolves. */
export interface Routes {
  /** The configured routes, then the stored ones ordered by id. */
  list(): readonly RouteEntry[];
  /** The route that `put` would store. @throws as `put` */
  check(id: string, value: unknown): Promise<RouteDefinition>;
  /** @throws as `putRoute`; 503 if the storage fails */
  put(id: string, value: unknown, by: Actor): Promise<RouteEntry>;
  /** @throws as `removeRoute`; 503 if the storage fails */
  remove(id: string, by: Actor): Promise<void>;
}

export interface OpenRoutes extends Routes {
  /** Looks at the problems of the stored routes again, after the models have changed. */
  recheck(): void;
  stop(): Promise<void>;
}

export interface RoutesOptions {
  readonly store: RouteStore;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** Whether a model that is in force has this name. */
  readonly isModel: (id: string) => boolean;
  readonly configured: readonly RouteDefinition[];
  /** The lines of the configuration file, by id. */
  readonly lines?: ReadonlyMap<string, number>;
  readonly read: ReadRoute;
  /** Puts the stored routes in force. */
  readonly apply: StoredRoutesOptions["apply"];
  readonly problems: StoredRoutesOptions["problems"];
  /** The interval at which the storage is checked for changes. */
  readonly intervalMs?: number;
}

/** Puts the stored routes in force and follows their changes until `stop`. */
export async function openRoutes(options: RoutesOptions): Promise<OpenRoutes> {
  const { configured, log } = options;
  const stored = await followStoredRoutes(options);
  const tools = { ...options, isConfigured: isAmong(configured) };
  const fixed = configured.map((definition): RouteEntry => {
    const line = options.lines?.get(definition.id) ?? null;
    return { definition, source: "config", line, updatedAt: null, problem: null };
  });
  const entries = () => stored.list().map((route): RouteEntry => ({ ...route, source: "storage", line: null }));

  const change = <Result>(work: () => Promise<Result>): Promise<Result> =>
    guarded(async () => {
      const result = await work();
      await stored.refresh();
      return result;
    });

  async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      log.warn({ error: String(error) }, "The stored routes cannot be changed.");
      throw overloaded("storage_unavailable", "Routes cannot be changed at the moment.", 5);
    }
  }

  return {
    list: () => [...fixed, ...entries()],
    check: (id, value) => guarded(() => checkRoute(tools, id, value)),
    async put(id, value, by) {
      const route = await change(() => putRoute({ ...tools, by }, id, value));
      return (
        entries().find(({ definition }) => definition.id === id) ?? {
          ...route,
          source: "storage",
          line: null,
          problem: null,
        }
      );
    },
    remove: (id, by) => change(() => removeRoute({ ...tools, by }, id)),
    recheck: () => stored.recheck(),
    stop: () => stored.stop(),
  };
}
