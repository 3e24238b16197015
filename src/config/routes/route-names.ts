import { nearestName } from "../../nearest-name.ts";
import type { Path } from "../file/path.ts";

/** The names in a route. */
export interface RouteOutline {
  readonly id: string;
  /** Null for a policy. */
  readonly alias: string | null;
  /** Empty for an alias. The paths begin at the route. */
  readonly members: readonly { readonly name: string; readonly path: Path }[];
}

/** The result of resolving a name. */
export type End =
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "policy"; readonly policy: string }
  /** `by` is the alias that refers to the unknown name; null if it is the name itself. */
  | { readonly kind: "nothing"; readonly name: string; readonly by: string | null }
  /** `by` is the first alias of the circle in the file. */
  | { readonly kind: "circle"; readonly by: string };

export interface RouteNames {
  endOf(name: string): End;
  /** The number of aliases between a name and its end, including the name. */
  aliasesUntilEnd(name: string): number;
  /** The names on the way from this one, which is the first. In a circle, the last is one of the others. */
  pathFrom(name: string): readonly string[];
  /** The most similar known name; null if there is none. */
  nearest(name: string): string | null;
}

/** The built-in policy. */
export const autoPolicy = "auto";

/** Maximum number of names to compare for similarity, which is slow. */
const maxCompared = 1_000;
const maxPath = 12;

/** Resolves the names that a request may use: models (an id that ends in `/*` matches all names below), routes and `auto`. */
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
    // Of two with the same id, which is reported elsewhere, the first counts.
    if (models.has(id) || policies.has(id) || aliases.has(id)) continue;
    if (alias === null) policies.add(id);
    else aliases.set(id, alias);
  }
  if (auto) policies.add(autoPolicy);
  const places = new Map([...aliases.keys()].map((id, place) => [id, place]));
  const placeOf = (id: string) => places.get(id) ?? places.size;
  const ends = new Map<string, End>();
  const distances = new Map<string, number>();
  const known = [...models, ...aliases.keys(), ...policies].slice(0, maxCompared);

  function endOf(name: string): End {
    const passed = new Set<string>();
    let at = name;
    let last: string | null = null;
    for (let next = aliases.get(at); next !== undefined && !passed.has(at) && !ends.has(at); next = aliases.get(at)) {
      passed.add(at);
      [last, at] = [at, next];
    }
    const end = ends.get(at) ?? (passed.has(at) ? circleAt(at, passed) : resolved(at, last));
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

  function resolved(name: string, by: string | null): End {
    if (models.has(name)) return { kind: "model", model: name };
    if (policies.has(name)) return { kind: "policy", policy: name };
    return matchesPrefix(name) ? { kind: "model", model: name } : { kind: "nothing", name, by };
  }

  function matchesPrefix(name: string): boolean {
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
    pathFrom(name) {
      const path = [name];
      for (let next = aliases.get(name); next !== undefined && path.length < maxPath; next = aliases.get(next)) {
        const closed = path.includes(next);
        path.push(next);
        if (closed) break;
      }
      return path;
    },
    nearest: (name) => nearestName(name, known),
  };
}
