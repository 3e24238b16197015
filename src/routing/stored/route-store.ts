import type { Actor } from "../../changes/change.ts";
import type { RouteDefinition } from "../names/route.ts";

/** A route created at run time. */
export interface StoredRoute {
  readonly definition: RouteDefinition;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/**
 * Stores the routes that are not in the configuration, for all gateways on the same storage. A change names the version it
 * is based on, so that two concurrent changes, each valid by itself, cannot form a circle together.
 */
export interface RouteStore {
  /** Changes with every change by any process. Cheap to read. */
  version(): Promise<number>;
  /** All routes, ordered by id. */
  list(): Promise<readonly StoredRoute[]>;
  /** Adds or replaces the route. False if the version is no longer the given one. */
  put(route: StoredRoute, version: number, by: Actor): Promise<boolean>;
  /** False if the version is no longer the given one, or the route does not exist. */
  remove(id: string, version: number, by: Actor): Promise<boolean>;
}
