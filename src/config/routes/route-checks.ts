import type { RouteDefinition } from "../../routing/names/route.ts";
import { describeName, mayShow } from "../file/describe.ts";
import { type FieldProblem, fieldOf, hasField, isText, itemsOf } from "../file/plain-data.ts";
import { autoPolicy, createRouteNames, type End, type RouteNames, type RouteOutline } from "./route-names.ts";

/** A problem of a reference in a route. Its path begins at the route. */
export interface RouteReferenceProblem extends FieldProblem {
  /** The id of the route that causes the problem, which may be another one on the way. */
  readonly at: string;
}

const policyFields = ["strategy", "requires", "retry", "fallback_on", "hedge_after_ms"] as const;

const allowedInAlias = "a model, a name that matches a wildcard model, or another route";
const allowedInPolicy = "a model, a name that matches a wildcard model, or an alias of one";
const maxShown = 40;
/** Bounds the cost of a change, which resolves all routes again. */
const maxChain = 32;

/** Checks the routes of a file's plain data. Each problem is reported once, at the route that causes it. */
export function checkRoutes(file: unknown, modelIds: readonly string[]): FieldProblem[] {
  const routes = itemsOf(file, "routes");
  const outlines = routes.map(outlineOf);
  const names = createRouteNames(
    modelIds,
    outlines.filter((outline) => outline !== null),
    fieldOf(file, "auto") === true,
  );
  return routes.flatMap((route, index) => {
    const outline = outlines[index] ?? null;
    const leads = outline === null ? [] : referenceProblemsOf(outline, names).filter(({ at }) => at === outline.id);
    return [...formProblems(route), ...leads].map(({ path, found, allowed }) => ({
      path: ["routes", index, ...path],
      found,
      allowed,
    }));
  });
}

/** Checks that a route is either an alias or a policy. */
export function formProblems(route: unknown): FieldProblem[] {
  if (typeof route !== "object" || route === null) return [];
  const isAlias = hasField(route, "alias");
  const isPolicy = hasField(route, "targets");
  if (isAlias === isPolicy) {
    const found = isAlias ? "both 'alias' and 'targets'" : "neither 'alias' nor 'targets'";
    return [
      {
        path: isAlias ? ["alias"] : [],
        found,
        allowed: "either 'alias', for another name, or 'targets', for a policy over models",
      },
    ];
  }
  if (isPolicy) return [];
  return policyFields
    .filter((name) => hasField(route, name))
    .map((name) => ({
      path: [name],
      found: `'${name}' in an alias`,
      allowed: "only 'alias', or 'targets' in place of it",
    }));
}

/** Checks the names that a route refers to. */
export function referenceProblemsOf(route: RouteOutline, names: RouteNames): RouteReferenceProblem[] {
  if (route.alias !== null) {
    const end = names.endOf(route.alias);
    const path = ["alias"];
    if (end.kind === "nothing" || end.kind === "circle") {
      return [{ path, ...unresolved(route.alias, route.id, end, names) }];
    }
    const further = names.aliasesUntilEnd(route.alias);
    if (further < maxChain) return [];
    const allowed = `a chain of at most ${maxChain} aliases`;
    return [
      {
        path,
        found: `a chain of ${further + 1} aliases`,
        allowed,
        at: further === maxChain ? route.id : route.alias,
      },
    ];
  }
  const seen = new Set<string>();
  return route.members.flatMap(({ name, path }) => {
    const end = names.endOf(name);
    const byAlias = names.pathFrom(name).length > 1;
    if (end.kind === "nothing" || end.kind === "circle") return [{ path, ...unresolved(name, route.id, end, names) }];
    const problem = (found: string, allowed: string) => [{ path, found, allowed, at: route.id }];
    if (end.kind === "policy") {
      const policy = `the policy ${describeName(end.policy)}`;
      return problem(byAlias ? `${describeName(name)}, which resolves to ${policy}` : policy, allowedInPolicy);
    }
    if (seen.has(end.model)) {
      const again = `a duplicate of the model ${describeName(end.model)}`;
      return problem(byAlias ? `${describeName(name)}, which resolves to ${again}` : again, "each model once");
    }
    seen.add(end.model);
    return [];
  });
}

function unresolved(name: string, routeId: string, end: End & { kind: "nothing" | "circle" }, names: RouteNames) {
  if (end.kind === "circle") {
    const own = names.pathFrom(routeId);
    const path = own.length > 1 ? own : names.pathFrom(name);
    const isWhole = path.indexOf(path.at(-1) ?? "") < path.length - 1;
    const circle = [...path.map(shown), ...(isWhole ? [] : ["..."])].join(" -> ");
    return {
      found: `a circular reference: ${circle}`,
      allowed: "a name that resolves to a model or a policy",
      at: end.by,
    };
  }
  const at = end.by ?? routeId;
  const allowed = end.name === autoPolicy ? `${allowedInAlias}; 'auto: true' enables auto` : allowedInAlias;
  const nearest = names.nearest(end.name);
  const hint = nearest === null ? "" : ` (did you mean ${describeName(nearest)}?)`;
  const unknown = `an unknown name ${describeName(end.name)}${hint}`;
  return { found: end.by === null ? unknown : `${describeName(name)}, which resolves to ${unknown}`, allowed, at };
}

/** The outline of a validated route. */
export function outlineOfRoute(route: RouteDefinition): RouteOutline {
  if (route.kind === "alias") return { id: route.id, alias: route.leadsTo, members: [] };
  const members = route.members.map(({ model }, place) => ({ name: model, path: ["targets", place] }));
  return { id: route.id, alias: null, members };
}

/** The outline of a route in plain data, which may have other problems; null if it has no id. */
function outlineOf(route: unknown): RouteOutline | null {
  const id = fieldOf(route, "id");
  if (!isText(id)) return null;
  const alias = fieldOf(route, "alias");
  if (isText(alias)) return { id, alias, members: [] };
  const members = itemsOf(route, "targets").flatMap((target, place) => {
    const name = isText(target) ? target : fieldOf(target, "model");
    const path = isText(target) ? ["targets", place] : ["targets", place, "model"];
    return isText(name) ? [{ name, path }] : [];
  });
  return { id, alias: null, members };
}

function shown(name: string): string {
  return mayShow(name, maxShown) ? name : `(${name.length} characters)`;
}
