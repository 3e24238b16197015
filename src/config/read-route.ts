import { explain, withoutRepeats } from "./check-file.ts";
import type { RouteConfig } from "./config.ts";
import { formatPath } from "./path.ts";
import type { CrossFault } from "./plain-data.ts";
import { outlineOfRoute, type RouteFault, wrongEnds, wrongForm } from "./route-checks.ts";
import { routeFromFile } from "./route-from-file.ts";
import { autoPolicy, createRouteNames } from "./route-names.ts";
import { route as routeSchema } from "./schema.ts";

/** Everything a route can lead to, and must not be mistaken for. */
export interface KnownNames {
  readonly models: readonly { readonly id: string }[];
  /** The policy `auto` is served. */
  readonly auto: boolean;
  /** Those of the configuration. */
  readonly routes: readonly RouteConfig[];
  /** Those of the storage. One with the id of the route that is read is replaced by it. */
  readonly stored: readonly RouteConfig[];
}

export interface RouteProblem {
  /** Such as `targets[1].weight`; empty where the whole is meant. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

export type RouteReading =
  | {
      readonly route: RouteConfig;
      /** Other routes that made sense before and would no longer. */
      readonly breaks: readonly { readonly id: string; readonly problem: string }[];
    }
  | { readonly problems: readonly RouteProblem[] };

/** Reads one route, as `routes` of the configuration holds it, and checks it as loading the configuration would. */
export function readRoute(value: unknown, known: KnownNames): RouteReading {
  const parsed = routeSchema.safeParse(value);
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => explain(issue, value, new Set()));
  const faults = [...issues, ...wrongForm(value).map((fault) => ({ ...fault, atName: false }))];
  if (!parsed.success || faults.length > 0) return { problems: withoutRepeats(faults).map(toProblem) };

  const route = routeFromFile(parsed.data);
  const others = [...known.routes, ...known.stored.filter(({ id }) => id !== route.id)];
  const faultsOf = faultsAmong(known, [route, ...others]);
  const wrong = [...takenId(route.id, known), ...faultsOf(route)];
  if (wrong.length > 0) return { problems: wrong.map(toProblem) };

  const faultsBefore = faultsAmong(known, [...known.routes, ...known.stored]);
  const breaks = others.flatMap((other) => {
    const [fault] = faultsOf(other);
    if (fault === undefined || faultsBefore(other).length > 0) return [];
    return [{ id: other.id, problem: describeFault(fault) }];
  });
  return { route, breaks };
}

/** Why stored routes cannot be in force, by their ids. */
export function problemsOfStored(known: KnownNames): ReadonlyMap<string, string> {
  const faultsOf = faultsAmong(known, [...known.routes, ...known.stored]);
  return new Map(
    known.stored.flatMap((route) => {
      const [fault] = [...takenId(route.id, known), ...faultsOf(route)];
      return fault === undefined ? [] : [[route.id, describeFault(fault)]];
    }),
  );
}

function faultsAmong(known: KnownNames, routes: readonly RouteConfig[]): (route: RouteConfig) => RouteFault[] {
  const modelIds = known.models.map(({ id }) => id);
  const names = createRouteNames(modelIds, routes.map(outlineOfRoute), known.auto);
  return (route) => wrongEnds(outlineOfRoute(route), names);
}

function takenId(id: string, { models, routes, auto }: KnownNames): CrossFault[] {
  const fault = (holder: string) => [{ path: ["id"], found: `the id of ${holder}`, allowed: "an id of its own" }];
  if (models.some((model) => model.id === id)) return fault("a model");
  if (routes.some((route) => route.id === id)) return fault("a route of the configuration");
  return auto && id === autoPolicy ? fault("the built-in policy") : [];
}

function describeFault({ path, found }: CrossFault): string {
  return `${formatPath(path)}: found ${found}`;
}

function toProblem({ path, found, allowed }: CrossFault): RouteProblem {
  return { path: formatPath(path), found, allowed };
}
