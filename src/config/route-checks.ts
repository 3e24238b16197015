import type { RouteConfig } from "./config.ts";
import { describeName } from "./found.ts";
import { mayShow } from "./may-show.ts";
import { type CrossFault, fieldOf, hasField, isText, itemsOf } from "./plain-data.ts";
import { autoPolicy, createRouteNames, type End, type RouteNames, type RouteOutline } from "./route-names.ts";

/** A fault of a route. Its path begins at the route. */
export interface RouteFault extends CrossFault {
  /** The id of the route where the mistake is: another one, where this one only leads there. */
  readonly at: string;
}

const policyFields = ["strategy", "requires", "retry", "fallback_on", "hedge_after_ms"] as const;

const anAliasMayLeadTo = "a model, a name that a wildcard model serves, or another route";
const aPolicyMayHave = "a model, a name that a wildcard model serves, or an alias that ends at one";
const longestShown = 40;
/** Each change of a route works out anew where all of them lead. */
const longestChain = 32;

/** What is wrong with the routes of a file's plain data. Each mistake is told once, where it was made. */
export function checkRoutes(file: unknown, modelIds: readonly string[]): CrossFault[] {
  const routes = itemsOf(file, "routes");
  const outlines = routes.map(outlineOf);
  const names = createRouteNames(
    modelIds,
    outlines.filter((outline) => outline !== null),
    fieldOf(file, "auto") === true,
  );
  return routes.flatMap((route, index) => {
    const outline = outlines[index] ?? null;
    const leads = outline === null ? [] : wrongEnds(outline, names).filter(({ at }) => at === outline.id);
    return [...wrongForm(route), ...leads].map(({ path, found, allowed }) => ({
      path: ["routes", index, ...path],
      found,
      allowed,
    }));
  });
}

/** A route is an alias or a policy: never both, never neither. */
export function wrongForm(route: unknown): CrossFault[] {
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
    .map((name) => ({ path: [name], found: `'${name}' in an alias`, allowed: "'alias' alone, or 'targets' instead" }));
}

/** What is wrong with where a route leads. */
export function wrongEnds(route: RouteOutline, names: RouteNames): RouteFault[] {
  if (route.alias !== null) {
    const end = names.endOf(route.alias);
    const path = ["alias"];
    if (end.kind === "nothing" || end.kind === "circle") {
      return [{ path, ...noEnd(route.alias, route.id, end, names) }];
    }
    const further = names.aliasesUntilEnd(route.alias);
    if (further < longestChain) return [];
    const allowed = `at most ${longestChain} aliases in a row`;
    return [
      {
        path,
        found: `a chain of ${further + 1} aliases`,
        allowed,
        at: further === longestChain ? route.id : route.alias,
      },
    ];
  }
  const seen = new Set<string>();
  return route.members.flatMap(({ name, path }) => {
    const end = names.endOf(name);
    const byAlias = names.wayFrom(name).length > 1;
    if (end.kind === "nothing" || end.kind === "circle") return [{ path, ...noEnd(name, route.id, end, names) }];
    const fault = (found: string, allowed: string) => [{ path, found, allowed, at: route.id }];
    if (end.kind === "policy") {
      const policy = `the policy ${describeName(end.policy)}`;
      return fault(byAlias ? `${describeName(name)}, which leads to ${policy}` : policy, aPolicyMayHave);
    }
    if (seen.has(end.model)) {
      const again = `the model ${describeName(end.model)} a second time`;
      return fault(byAlias ? `${describeName(name)}, which is ${again}` : again, "each model once");
    }
    seen.add(end.model);
    return [];
  });
}

function noEnd(name: string, routeId: string, end: End & { kind: "nothing" | "circle" }, names: RouteNames) {
  if (end.kind === "circle") {
    const own = names.wayFrom(routeId);
    const way = own.length > 1 ? own : names.wayFrom(name);
    const isWhole = way.indexOf(way.at(-1) ?? "") < way.length - 1;
    const circle = [...way.map(shown), ...(isWhole ? [] : ["..."])].join(" -> ");
    return { found: `a circle: ${circle}`, allowed: "a way that ends at a model or a policy", at: end.by };
  }
  const at = end.by ?? routeId;
  const allowed = end.name === autoPolicy ? `${anAliasMayLeadTo}; 'auto: true' turns auto on` : anAliasMayLeadTo;
  const nearest = names.nearest(end.name);
  const hint = nearest === null ? "" : ` (did you mean ${describeName(nearest)}?)`;
  const unknown = `an unknown name ${describeName(end.name)}${hint}`;
  return { found: end.by === null ? unknown : `${describeName(name)}, which leads to ${unknown}`, allowed, at };
}

/** A route that has been read. */
export function outlineOfRoute(route: RouteConfig): RouteOutline {
  if (route.kind === "alias") return { id: route.id, alias: route.leadsTo, members: [] };
  const members = route.members.map(({ model }, place) => ({ name: model, path: ["targets", place] }));
  return { id: route.id, alias: null, members };
}

/** A route of plain data that may be wrong elsewhere; null where it has no id. */
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
  return mayShow(name, longestShown) ? name : `(${name.length} characters)`;
}
