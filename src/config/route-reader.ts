import type { Config, RouteConfig } from "./config.ts";
import type { RouteReading } from "./read-route.ts";

/** Reads single routes as this configuration would have them, beside the stored ones given. */
export function routeReader({ models, routes, auto }: Pick<Config, "models" | "routes" | "auto">) {
  return async (value: unknown, stored: readonly RouteConfig[]): Promise<RouteReading> => {
    // What reads routes is costly to load, and few processes are ever given one.
    const { readRoute } = await import("./read-route.ts");
    return readRoute(value, { models, routes, auto, stored });
  };
}
