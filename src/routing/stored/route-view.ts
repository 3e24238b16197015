import type { RouteDefinition } from "../names/route.ts";

/** A route with its origin and state. */
export interface RouteEntry {
  readonly definition: RouteDefinition;
  readonly source: "config" | "storage";
  /** The line of the configuration file that sets it; null if it is stored. */
  readonly line: number | null;
  /** Milliseconds since 1970; null for the configuration's. */
  readonly updatedAt: number | null;
  /** Why it is not in force; null if it is. */
  readonly problem: string | null;
}

/** A route in the format of the configuration file, without its id. Accepted unchanged by `PUT`. */
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

/** A route in the admin API. Times are in Unix seconds; `problem` is present if the route is not in force. */
export function routeView({ definition, source, line, updatedAt, problem }: RouteEntry) {
  return {
    id: definition.id,
    source,
    line,
    ...routeFields(definition),
    updated_at: updatedAt === null ? null : Math.floor(updatedAt / 1000),
    ...(problem === null ? {} : { problem }),
  };
}
