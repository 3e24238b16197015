import type { Clock } from "../../clock.ts";
import { GatewayError, invalidParameter, invalidRequest, notFound } from "../../errors.ts";
import { isObject } from "../../json/values.ts";
import type { RouteDefinition } from "../names/route.ts";
import type { RouteStore, StoredRoute } from "./route-store.ts";

/** Reads one route as the configuration would have it, against all names there are with the stored ones given. */
export type ReadRoute = (value: unknown, stored: readonly RouteDefinition[]) => Promise<RouteReading>;

type RouteReading =
  | {
      readonly route: RouteDefinition;
      /** Other routes that made sense before and would no longer. */
      readonly breaks: readonly { readonly id: string; readonly problem: string }[];
    }
  | { readonly problems: readonly FieldProblem[] };

interface FieldProblem {
  /** Empty where the whole is meant. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

export interface ChangeTools {
  readonly store: RouteStore;
  readonly clock: Clock;
  readonly read: ReadRoute;
  /** Whether a model has this name. */
  readonly isModel: (id: string) => boolean;
  /** Whether a route of the configuration has this name. */
  readonly isConfigured: (id: string) => boolean;
}

/** Whether a name is one of these. */
export function isAmong(named: readonly { readonly id: string }[]): (id: string) => boolean {
  const ids = new Set(named.map(({ id }) => id));
  return (id) => ids.has(id);
}

const mostStored = 10_000;
const mostTold = 5;
/** A change decided upon what has changed meanwhile is decided anew, so many times. */
const mostTries = 10;

/**
 * Adds a stored route or replaces it. `value` is what the configuration file would say, without the id.
 * @throws 400 naming the field at fault; 409 where the configuration has the name, or another route would break
 */
export async function putRoute(tools: ChangeTools, id: string, value: unknown): Promise<StoredRoute> {
  const { store, clock, read, isConfigured } = tools;
  if (isConfigured(id)) throw ownedByConfiguration(id);
  if (isObject(value) && value["id"] !== undefined && value["id"] !== id) {
    throw invalidParameter("id", "the route's own name, or nothing");
  }
  return upon(store, async (stored, version) => {
    const definitions = stored.map(({ definition }) => definition);
    const reading = await read(isObject(value) ? { ...value, id } : value, definitions);
    if ("problems" in reading) throw wrongRoute(reading.problems);
    const [broken] = reading.breaks;
    if (broken) throw inUse(`The route '${broken.id}' would no longer make sense: ${broken.problem}.`);
    if (stored.length >= mostStored && !definitions.some((other) => other.id === id)) {
      throw conflict("too_many_routes", `There are ${mostStored} stored routes, which is the most there may be.`);
    }
    const route = { definition: reading.route, updatedAt: clock.now() };
    return (await store.put(route, version)) ? route : null;
  });
}

/**
 * Removes a stored route.
 * @throws 404 where there is none; 409 where the configuration has it, or another stored route leads to it
 */
export async function removeRoute(tools: ChangeTools, id: string): Promise<void> {
  const { store, isModel, isConfigured } = tools;
  await upon(store, async (stored, version) => {
    if (!stored.some(({ definition }) => definition.id === id)) {
      if (isConfigured(id)) throw ownedByConfiguration(id);
      throw notFound("route_not_found", `There is no stored route '${id.slice(0, 100)}'.`);
    }
    // What the configuration has taken the name of is in no one's way.
    const users = isConfigured(id) || isModel(id) ? [] : stored.filter(({ definition }) => leadsTo(definition, id));
    if (users.length > 0) {
      const names = users.slice(0, mostTold).map(({ definition }) => `'${definition.id}'`);
      const more = users.length > mostTold ? ` and ${users.length - mostTold} more` : "";
      throw inUse(`The route '${id}' is where ${names.join(", ")}${more} leads: change or remove that first.`);
    }
    return (await store.remove(id, version)) ? true : null;
  });
}

/** Makes a change upon the newest routes; null from `change` says that they were no longer the newest. */
async function upon<Result>(
  store: RouteStore,
  change: (stored: readonly StoredRoute[], version: number) => Promise<Result | null>,
): Promise<Result> {
  for (let tries = 0; tries < mostTries; tries++) {
    const version = await store.version();
    const result = await change(await store.list(), version);
    if (result !== null) return result;
  }
  throw conflict("conflicting_change", "The routes were changed by others at the same time. Try again.");
}

function leadsTo(definition: RouteDefinition, id: string): boolean {
  return definition.kind === "alias"
    ? definition.leadsTo === id
    : definition.members.some((member) => member.model === id);
}

function wrongRoute(problems: readonly FieldProblem[]): GatewayError {
  const told = problems.slice(0, mostTold).map(({ path, found, allowed }) => {
    return `${path === "" ? "the route" : `'${path}'`}: found ${found}; allowed: ${allowed}.`;
  });
  const param = problems[0]?.path ?? "";
  return invalidRequest("invalid_parameter", `Invalid route. ${told.join(" ")}`, param === "" ? null : param);
}

function ownedByConfiguration(id: string): GatewayError {
  const message = `The route '${id}' stands in the configuration file: change it there.`;
  return conflict("route_in_configuration", message);
}

function inUse(message: string): GatewayError {
  return conflict("route_in_use", message);
}

function conflict(code: string, message: string): GatewayError {
  return new GatewayError("conflict_error", message, { code });
}
