import type { Identity } from "../../access/identity.ts";
import { allowsModel } from "../../access/scopes.ts";
import type { Catalog } from "./catalog.ts";
import { type Destination, type Member, toAuto, toModel, toPolicy, underAlias } from "./destination.ts";
import type { Model } from "./model.ts";
import type { PolicyDefinition, RouteDefinition } from "./route.ts";
import { scopeWithin } from "./scope-within.ts";

/** Resolves the names that callers may use: models and routes. */
export interface Names {
  /** Null if the name is unknown. */
  find(name: string): Destination | null;
  /** The names that a key may use, models before routes. Models derived from patterns are not among them. */
  usableBy(identity: Identity): Iterable<string>;
  /** What a name would be below each of the patterns, as far as the key may use that. */
  belowPatterns(name: string, identity: Identity): readonly string[];
  /** The routes in force, by name. */
  readonly routes: ReadonlyMap<string, Destination>;
  /** The aliases that resolve to this model and not to a policy. */
  aliasesOf(model: Model): readonly string[];
  /** Where a route would lead that is not stored yet. @throws an `Error` that says why it cannot be resolved */
  draft(definition: RouteDefinition): Destination;
  /** Replaces the stored routes. */
  setStored(definitions: readonly RouteDefinition[]): void;
  /** Resolves all names again, after the models of the catalog have changed. */
  refresh(): void;
  /** The stored routes that are invalid and not in force. */
  readonly problems: readonly RouteProblem[];
}

export interface RouteProblem {
  readonly id: string;
  readonly problem: string;
}

export interface NamesOptions {
  readonly catalog: Catalog;
  /** The routes of the configuration, already validated. */
  readonly routes: readonly RouteDefinition[];
  /** The rules of the policy `auto`; null if it is turned off. */
  readonly auto: Omit<PolicyDefinition, "members"> | null;
}

/** The state of resolving one set of routes. */
interface Search {
  readonly definitions: ReadonlyMap<string, RouteDefinition>;
  readonly found: Map<string, Destination>;
  /** The routes on the current path, to detect circles. */
  readonly path: Set<string>;
}

/** Resolves all routes once, and again after each change. Throws if a configured route cannot be resolved. */
export function createNames({ catalog, routes, auto }: NamesOptions): Names {
  const destinations = new WeakMap<Model, Destination>();
  let models: ReadonlyMap<string, Destination> = new Map();
  let stored: readonly RouteDefinition[] = [];
  let inForce: ReadonlyMap<string, Destination> = new Map();
  let aliases: ReadonlyMap<Model, readonly string[]> = new Map();
  let problems: readonly RouteProblem[] = [];
  refresh();
  const [first] = problems;
  if (first) throw new Error(`The route '${first.id}' cannot be resolved: ${first.problem}.`);

  function refresh(): void {
    models = new Map(catalog.models.map((model) => [model.id, destinationOf(model)]));
    resolveAll();
  }

  function resolveAll(): void {
    const built = build(routes, stored);
    inForce = built.found;
    problems = built.problems;
    aliases = aliasesIn(built.found);
  }

  /** A model has one destination, so that turns are taken in it whatever else changes. */
  function destinationOf(model: Model): Destination {
    const destination = destinations.get(model) ?? toModel(model);
    destinations.set(model, destination);
    return destination;
  }

  function modelDestination(name: string): Destination | null {
    const known = models.get(name);
    if (known) return known;
    const model = catalog.find(name);
    return model && destinationOf(model);
  }

  function build(configured: readonly RouteDefinition[], stored: readonly RouteDefinition[]) {
    const definitions = new Map<string, RouteDefinition>();
    const problems: RouteProblem[] = [];
    for (const route of configured) definitions.set(route.id, route);
    for (const route of stored) {
      if (definitions.has(route.id) || models.has(route.id) || route.id === auto?.id) {
        const user = definitions.has(route.id) || route.id === auto?.id ? "the configuration" : "a model";
        problems.push({ id: route.id, problem: `${user} uses this name` });
      } else definitions.set(route.id, route);
    }
    const found = new Map<string, Destination>(auto ? [[auto.id, toAuto(catalog.models, auto)]] : []);
    for (const { id } of definitions.values()) {
      try {
        resolve(id, { definitions, found, path: new Set() });
      } catch (error) {
        problems.push({ id, problem: error instanceof Error ? error.message : String(error) });
      }
    }
    return { found, problems };
  }

  function resolve(name: string, search: Search): Destination {
    const { definitions, found, path } = search;
    const known = found.get(name);
    if (known) return known;
    const route = definitions.get(name);
    if (!route) {
      const destination = modelDestination(name);
      if (destination) return destination;
      throw new Error(`'${name}' does not exist`);
    }
    if (path.has(name)) throw new Error(`it refers to itself: ${[...path, name].join(" -> ")}`);
    path.add(name);
    const destination =
      route.kind === "alias"
        ? underAlias(name, resolve(route.leadsTo, search))
        : toPolicy(
            route,
            route.members.map((member) => asMember(member, search)),
          );
    found.set(name, destination);
    return destination;
  }

  function asMember({ model, weight }: PolicyDefinition["members"][number], search: Search): Member {
    const { isPolicy, members } = resolve(model, { ...search, path: new Set(search.path) });
    const [only] = members;
    if (isPolicy || !only) throw new Error(`'${model}' is a policy, and a policy can contain only models`);
    return { model: only.model, weight };
  }

  return {
    find: (name) => models.get(name) ?? inForce.get(name) ?? modelDestination(name),
    *usableBy(identity) {
      yield* namesUsable(models, identity);
      yield* namesUsable(inForce, identity);
    },
    belowPatterns: (name, identity) =>
      catalog.patterns.map((pattern) => pattern.replace("*", () => name)).filter((id) => allowsModel(identity, id)),
    get routes() {
      return inForce;
    },
    aliasesOf: (model) => aliases.get(model) ?? [],
    draft(definition) {
      const others = [...routes, ...stored].filter(({ id }) => id !== definition.id);
      const definitions = new Map([...others, definition].map((route) => [route.id, route]));
      const found = new Map<string, Destination>(auto ? [[auto.id, toAuto(catalog.models, auto)]] : []);
      return resolve(definition.id, { definitions, found, path: new Set() });
    },
    setStored(definitions) {
      stored = definitions;
      resolveAll();
    },
    refresh,
    get problems() {
      return problems;
    },
  };
}

function* namesUsable(destinations: ReadonlyMap<string, Destination>, identity: Identity): Generator<string> {
  for (const [name, destination] of destinations) {
    const mayUse = scopeWithin(identity, destination);
    if (destination.members.some(({ model }) => mayUse(model))) yield name;
  }
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
