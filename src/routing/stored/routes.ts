import type { Clock } from "../../clock.ts";
import { GatewayError, overloaded } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { type ChangeTools, isAmong, putRoute, type ReadRoute, removeRoute } from "./change-routes.ts";
import type { RouteDefinition } from "../names/route.ts";
import type { RouteEntry } from "./route-entry.ts";
import type { RouteStore } from "./route-store.ts";
import { followStoredRoutes, type StoredRoutesOptions } from "./stored-routes.ts";

/** The routes of a running gateway. Changes are durable and in force here when they resolve. */
export interface Routes {
  /** The configuration's first, then the stored ones by id. */
  list(): readonly RouteEntry[];
  /** @throws what `putRoute` does; 503 where the storage does not answer */
  put(id: string, value: unknown): Promise<RouteEntry>;
  /** @throws what `removeRoute` does; 503 where the storage does not answer */
  remove(id: string): Promise<void>;
}

export interface RoutesOptions {
  readonly store: RouteStore;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** The configuration's. */
  readonly models: readonly { readonly id: string }[];
  readonly configured: readonly RouteDefinition[];
  readonly read: ReadRoute;
  /** Puts the stored routes in force and answers those that make no sense. */
  readonly apply: StoredRoutesOptions["apply"];
  /** Between two questions whether the storage has changed. */
  readonly intervalMs?: number;
}

/** Puts the stored routes in force, and keeps them so until `stop`. */
export async function openRoutes(options: RoutesOptions): Promise<Routes & { stop(): Promise<void> }> {
  const { configured, log } = options;
  const stored = await followStoredRoutes(options);
  const tools: ChangeTools = { ...options, isModel: isAmong(options.models), isConfigured: isAmong(configured) };
  const fixed = configured.map((definition): RouteEntry => {
    return { definition, source: "config", updatedAt: null, problem: null };
  });
  const entries = () => stored.list().map((route): RouteEntry => ({ ...route, source: "storage" }));

  async function change<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      await stored.refresh();
      return result;
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      log.warn({ error: String(error) }, "the stored routes cannot be changed");
      throw overloaded("storage_unavailable", "Routes cannot be changed at the moment.", 5);
    }
  }

  return {
    list: () => [...fixed, ...entries()],
    async put(id, value) {
      const route = await change(() => putRoute(tools, id, value));
      return entries().find(({ definition }) => definition.id === id) ?? { ...route, source: "storage", problem: null };
    },
    remove: (id) => change(() => removeRoute(tools, id)),
    stop: () => stored.stop(),
  };
}
