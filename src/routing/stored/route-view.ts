import type { RouteDefinition } from "../names/route.ts";
import type { RouteEntry } from "./route-entry.ts";

/** A route in the names of the configuration file, without its id: what can be put back as it is. */
export function routeFields(route: RouteDefinition) {
  if (route.kind === "alias") return { alias: route.leadsTo };
  return {
    strategy: route.strategy,
    targets: route.members,
    requires: route.requires,
    retry: { attempts: route.retry.attempts, budget_ms: route.retry.budgetMs, on: route.retry.on },
    fallback_on: route.fallbackOn,
    hedge_after_ms: route.hedgeAfterMs,
  };
}

/** A route as operators read it in JSON. Times are in Unix seconds; `problem` is there where it is not in force. */
export function routeView({ definition, source, updatedAt, problem }: RouteEntry) {
  return {
    id: definition.id,
    source,
    ...routeFields(definition),
    updated_at: updatedAt === null ? null : Math.floor(updatedAt / 1000),
    ...(problem === null ? {} : { problem }),
  };
}
