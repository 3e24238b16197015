import type { RouteDefinition } from "../names/route.ts";

/** A route that was made while the gateway runs. */
export interface StoredRoute {
  readonly definition: RouteDefinition;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/**
 * Where routes that are not in the configuration are kept, for every gateway on the same storage. A change says what it
 * was decided upon, so that two at once, each right by itself, cannot make a circle together.
 */
export interface RouteStore {
  /** Another number after every change, whoever made it. Cheap. */
  version(): Promise<number>;
  /** All of them, by id. */
  list(): Promise<readonly StoredRoute[]>;
  /** Adds the route, or replaces the one of its id. False where the version is no longer the one given. */
  put(route: StoredRoute, version: number): Promise<boolean>;
  /** False where the version is no longer the one given, or there is no such route. */
  remove(id: string, version: number): Promise<boolean>;
}
