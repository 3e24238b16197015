import { nearestName } from "./nearest-name.ts";
import type { Path } from "./path.ts";

/** A route as far as its names go. */
export interface RouteOutline {
  readonly id: string;
  /** Null for a policy. */
  readonly alias: string | null;
  /** Empty for an alias. The paths begin at the route. */
  readonly members: readonly { readonly name: string; readonly path: Path }[];
}

/** Where a name leads in the end. */
export type End =
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "policy"; readonly policy: string }
  /** `by` is the alias that names what does not exist; null where that is the name itself. */
  | { readonly kind: "nothing"; readonly name: string; readonly by: string | null }
  /** `by` is the alias of the circle that was told first. */
  | { readonly kind: "circle"; readonly by: string };

export interface RouteNames {
  endOf(name: string): End;
  /** How many aliases stand between a name and its end, itself included. */
  aliasesUntilEnd(name: string): number;
  /** The names one comes by from this one, itself included; the last is one of the others where they are a circle. */
  wayFrom(name: string): readonly string[];
  /** The name that is most likely meant. */
  nearest(name: string): string | null;
}

/** The policy that ships. */
export const autoPolicy = "auto";

/** A slip is looked for among so many names: each is compared letter by letter. */
const mostCompared = 1_000;
const longestWay = 12;

/** All names that a request may give: ids of models (those that end in `/*` serve all below), routes, and `auto`. */
export function createRouteNames(
  modelIds: readonly string[],
  routes: readonly RouteOutline[],
  auto: boolean,
): RouteNames {
  const models = new Set(modelIds.filter((id) => !id.endsWith("/*")));
  const prefixes = new Set(modelIds.filter((id) => id.endsWith("/*")).map((id) => id.slice(0, -1)));
  const aliases = new Map<string, string>();
  const policies = new Set<string>();
  for (const { id, alias } of routes) {
    // Of two with one id, which is told as a mistake of its own, the first counts.
    if (models.has(id) || policies.has(id) || aliases.has(id)) continue;
    if (alias === null) policies.add(id);
    else aliases.set(id, alias);
  }
  if (auto) policies.add(autoPolicy);
  const places = new Map([...aliases.keys()].map((id, place) => [id, place]));
  const placeOf = (id: string) => places.get(id) ?? places.size;
  const ends = new Map<string, End>();
  const distances = new Map<string, number>();
  const known = [...models, ...aliases.keys(), ...policies].slice(0, mostCompared);

  function endOf(name: string): End {
    const passed = new Set<string>();
    let at = name;
    let last: string | null = null;
    for (let next = aliases.get(at); next !== undefined && !passed.has(at) && !ends.has(at); next = aliases.get(at)) {
      passed.add(at);
      [last, at] = [at, next];
    }
    const end = ends.get(at) ?? (passed.has(at) ? circleAt(at, passed) : standing(at, last));
    let distance = distances.get(at) ?? 0;
    for (const id of [...passed].toReversed()) {
      ends.set(id, end);
      distances.set(id, ++distance);
    }
    return end;
  }

  function circleAt(start: string, passed: ReadonlySet<string>): End {
    const ids = [...passed];
    const members = ids.slice(ids.indexOf(start));
    return { kind: "circle", by: members.reduce((first, id) => (placeOf(id) < placeOf(first) ? id : first)) };
  }

  function standing(name: string, by: string | null): End {
    if (models.has(name)) return { kind: "model", model: name };
    if (policies.has(name)) return { kind: "policy", policy: name };
    return isServedByPrefix(name) ? { kind: "model", model: name } : { kind: "nothing", name, by };
  }

  function isServedByPrefix(name: string): boolean {
    for (let slash = name.indexOf("/"); slash >= 0 && slash < name.length - 1; slash = name.indexOf("/", slash + 1)) {
      if (prefixes.has(name.slice(0, slash + 1))) return true;
    }
    return false;
  }

  return {
    endOf,
    aliasesUntilEnd(name) {
      endOf(name);
      return distances.get(name) ?? 0;
    },
    wayFrom(name) {
      const way = [name];
      for (let next = aliases.get(name); next !== undefined && way.length < longestWay; next = aliases.get(next)) {
        const closed = way.includes(next);
        way.push(next);
        if (closed) break;
      }
      return way;
    },
    nearest: (name) => nearestName(name, known),
  };
}
