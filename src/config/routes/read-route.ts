import { explain, withoutRepeats } from "../file/check-file.ts";
import type { RouteDefinition } from "../../routing/names/route.ts";
import { formatPath } from "../file/describe.ts";
import type { FieldProblem } from "../file/plain-data.ts";
import { outlineOfRoute, type RouteReferenceProblem, referenceProblemsOf, formProblems } from "./route-checks.ts";
import { routeFromFile } from "./route-from-file.ts";
import { autoPolicy, createRouteNames } from "./route-names.ts";
import { route as routeSchema } from "../file/schema.ts";

/** The names that a route can refer to and must not collide with. */
export interface KnownNames {
  readonly models: readonly { readonly id: string }[];
  /** Whether the policy `auto` is available. */
  readonly auto: boolean;
  /** The routes of the configuration. */
  readonly routes: readonly RouteDefinition[];
  /** The stored routes. The route that is read replaces the one with its id. */
  readonly stored: readonly RouteDefinition[];
}

export interface RouteProblem {
  /** Such as `targets[1].weight`; empty for the whole route. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

export type RouteReading =
  | {
      readonly route: RouteDefinition;
      /** Other routes that this route would make invalid. */
      readonly breaks: readonly { readonly id: string; readonly problem: string }[];
    }
  | { readonly problems: readonly RouteProblem[] };

/** Reads and validates one route in the format of `routes` in the configuration. */
export function readRoute(value: unknown, known: KnownNames): RouteReading {
  const parsed = routeSchema.safeParse(value);
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => explain(issue, value, new Set()));
  const problems = [...issues, ...formProblems(value).map((problem) => ({ ...problem, atName: false }))];
  if (!parsed.success || problems.length > 0) return { problems: withoutRepeats(problems).map(toProblem) };

  const route = routeFromFile(parsed.data);
  const others = [...known.routes, ...known.stored.filter(({ id }) => id !== route.id)];
  const referenceProblems = problemsAmong(known, [route, ...others]);
  const wrong = [...takenId(route.id, known), ...referenceProblems(route)];
  if (wrong.length > 0) return { problems: wrong.map(toProblem) };

  const problemsBefore = problemsAmong(known, [...known.routes, ...known.stored]);
  const breaks = others.flatMap((other) => {
    const [problem] = referenceProblems(other);
    if (problem === undefined || problemsBefore(other).length > 0) return [];
    return [{ id: other.id, problem: describeProblem(problem) }];
  });
  return { route, breaks };
}

/** The problems of the stored routes that cannot be in force, by id. */
export function problemsOfStored(known: KnownNames): ReadonlyMap<string, string> {
  const referenceProblems = problemsAmong(known, [...known.routes, ...known.stored]);
  return new Map(
    known.stored.flatMap((route) => {
      const [problem] = [...takenId(route.id, known), ...referenceProblems(route)];
      return problem === undefined ? [] : [[route.id, describeProblem(problem)]];
    }),
  );
}

function problemsAmong(
  known: KnownNames,
  routes: readonly RouteDefinition[],
): (route: RouteDefinition) => RouteReferenceProblem[] {
  const modelIds = known.models.map(({ id }) => id);
  const names = createRouteNames(modelIds, routes.map(outlineOfRoute), known.auto);
  return (route) => referenceProblemsOf(outlineOfRoute(route), names);
}

function takenId(id: string, { models, routes, auto }: KnownNames): FieldProblem[] {
  const collision = (user: string) => [{ path: ["id"], found: `the id of ${user}`, allowed: "a unique id" }];
  if (models.some((model) => model.id === id)) return collision("a model");
  if (routes.some((route) => route.id === id)) return collision("a route of the configuration");
  return auto && id === autoPolicy ? collision("the built-in policy") : [];
}

function describeProblem({ path, found }: FieldProblem): string {
  return `${formatPath(path)}: found ${found}`;
}

function toProblem({ path, found, allowed }: FieldProblem): RouteProblem {
  return { path: formatPath(path), found, allowed };
}
