import type { Catalog } from "./catalog.ts";
import { type Destination, type Member, toAuto, toModel, toPolicy, underAlias } from "./destination.ts";
import type { Model } from "./model.ts";
import type { PolicyDefinition, RouteDefinition } from "./route.ts";

/** All names that callers may ask for: models, and the routes that lead to them. */
export interface Names {
  /** Null where the name leads nowhere. */
  find(name: string): Destination | null;
  /** The routes in force, by name. */
  readonly routes: ReadonlyMap<string, Destination>;
  /** The names of aliases that lead to a model, and to it alone. */
  aliasesOf(model: Model): readonly string[];
  /** Replaces the routes that are stored. Those that lead nowhere are left out, and said. */
  setStored(definitions: readonly RouteDefinition[]): readonly RouteProblem[];
}

export interface RouteProblem {
  readonly id: string;
  readonly problem: string;
}

export interface NamesOptions {
  readonly catalog: Catalog;
  /** From the configuration, which has checked them. */
  readonly routes: readonly RouteDefinition[];
  /** How the policy `auto` goes about it; null where it is turned off. */
  readonly auto: Omit<PolicyDefinition, "members"> | null;
}

/** Where names of one set of routes lead, as far as that is worked out. */
interface Search {
  readonly definitions: ReadonlyMap<string, RouteDefinition>;
  readonly found: Map<string, Destination>;
  /** The routes on the way to the name that is looked for. */
  readonly passed: Set<string>;
}

/** Works out where each name leads, once for each change. Throws where a configured route leads nowhere. */
export function createNames({ catalog, routes, auto }: NamesOptions): Names {
  const models = new Map(catalog.models.map((model) => [model.id, toModel(model)]));
  const derived = new WeakMap<Model, Destination>();
  const shipped: [string, Destination][] = auto ? [[auto.id, toAuto(catalog.models, auto)]] : [];
  const atStart = build(routes, []);
  const [first] = atStart.problems;
  if (first) throw new Error(`The route '${first.id}' leads nowhere: ${first.problem}.`);
  let inForce: ReadonlyMap<string, Destination> = atStart.found;
  let aliases = aliasesIn(atStart.found);

  function modelDestination(name: string): Destination | null {
    const known = models.get(name);
    if (known) return known;
    const model = catalog.find(name);
    if (!model) return null;
    const destination = derived.get(model) ?? toModel(model);
    derived.set(model, destination);
    return destination;
  }

  function build(configured: readonly RouteDefinition[], stored: readonly RouteDefinition[]) {
    const definitions = new Map<string, RouteDefinition>();
    const problems: RouteProblem[] = [];
    for (const route of configured) definitions.set(route.id, route);
    for (const route of stored) {
      if (definitions.has(route.id) || models.has(route.id) || route.id === auto?.id) {
        problems.push({ id: route.id, problem: "the configuration uses this name" });
      } else definitions.set(route.id, route);
    }
    const found = new Map<string, Destination>(shipped);
    for (const { id } of definitions.values()) {
      try {
        lead(id, { definitions, found, passed: new Set() });
      } catch (error) {
        problems.push({ id, problem: error instanceof Error ? error.message : String(error) });
      }
    }
    return { found, problems };
  }

  function lead(name: string, search: Search): Destination {
    const { definitions, found, passed } = search;
    const known = found.get(name);
    if (known) return known;
    const route = definitions.get(name);
    if (!route) {
      const destination = modelDestination(name);
      if (destination) return destination;
      throw new Error(`'${name}' does not exist`);
    }
    if (passed.has(name)) throw new Error(`it leads back to itself: ${[...passed, name].join(" -> ")}`);
    passed.add(name);
    const destination =
      route.kind === "alias"
        ? underAlias(name, lead(route.leadsTo, search))
        : toPolicy(
            route,
            route.members.map((member) => asMember(member, search)),
          );
    found.set(name, destination);
    return destination;
  }

  function asMember({ model, weight }: PolicyDefinition["members"][number], search: Search): Member {
    const { isPolicy, members } = lead(model, { ...search, passed: new Set(search.passed) });
    const [only] = members;
    if (isPolicy || !only) throw new Error(`'${model}' is a policy, and a policy can hold only models`);
    return { model: only.model, weight };
  }

  return {
    find: (name) => models.get(name) ?? inForce.get(name) ?? modelDestination(name),
    get routes() {
      return inForce;
    },
    aliasesOf: (model) => aliases.get(model) ?? [],
    setStored(definitions) {
      const { found, problems } = build(routes, definitions);
      inForce = found;
      aliases = aliasesIn(found);
      return problems;
    },
  };
}

function aliasesIn(routes: ReadonlyMap<string, Destination>): ReadonlyMap<Model, readonly string[]> {
  const aliases = new Map<Model, string[]>();
  for (const [name, { isPolicy, members }] of routes) {
    const model = members[0]?.model;
    if (isPolicy || !model) continue;
    const names = aliases.get(model);
    if (names) names.push(name);
    else aliases.set(model, [name]);
  }
  return aliases;
}
