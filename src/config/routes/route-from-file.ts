import type { RetryRules, RouteDefinition } from "../../routing/names/route.ts";
import { defaultFallbackOn, defaultRetry } from "../defaults.ts";
import type { ConfigFile } from "../file/schema.ts";

type RouteInFile = NonNullable<ConfigFile["routes"]>[number];
type RetryInFile = NonNullable<RouteInFile["retry"]>;

/** Converts a validated route, with all defaults filled in. */
export function routeFromFile(route: RouteInFile): RouteDefinition {
  const { id } = route;
  if (route.alias !== undefined) return { kind: "alias", id, leadsTo: route.alias };
  return {
    kind: "policy",
    id,
    strategy: route.strategy ?? "priority",
    members: route.targets ?? [],
    requires: route.requires ?? [],
    retry: route.retry === undefined ? defaultRetry : retryFromFile(route.retry),
    fallbackOn: route.fallback_on ?? defaultFallbackOn,
    hedgeAfterMs: route.hedge_after_ms ?? null,
  };
}

export function retryFromFile({ attempts, budget_ms, on }: RetryInFile): RetryRules {
  return { attempts: attempts ?? null, budgetMs: budget_ms, on };
}
