import type { Config } from "../config.ts";
import type { RouteDefinition } from "../../routing/names/route.ts";
import type { RouteReading } from "./read-route.ts";

/**
 * Creates a reader of single routes, which validates them against this configuration, the models of the moment and the given
 * stored routes.
 */
export function routeReader(
  { routes, auto }: Pick<Config, "routes" | "auto">,
  modelsNow: () => readonly { readonly id: string }[],
) {
  return async (value: unknown, stored: readonly RouteDefinition[]): Promise<RouteReading> => {
    // Loaded on first use: the validation is slow to load, and rarely needed.
    const { readRoute } = await import("./read-route.ts");
    return readRoute(value, { models: modelsNow(), routes, auto, stored });
  };
}
