import type { Actor } from "../../changes/change.ts";
import type { Clock } from "../../clock.ts";
import type { ErrorNameOf } from "../../error-catalogue.ts";
import { GatewayError, invalidParameter, invalidRequest, notFound } from "../../errors.ts";
import { isObject } from "../../json/values.ts";
import type { RouteDefinition } from "../names/route.ts";
import type { RouteStore, StoredRoute } from "./route-store.ts";
import { withNewest } from "./with-newest.ts";

/** Validates one route in the format of the configuration, given the stored routes. */
export type ReadRoute = (value: unknown, stored: readonly RouteDefinition[]) => Promise<RouteReading>;

type RouteReading =
  | {
      readonly route: RouteDefinition;
      /** Other routes that this change would make invalid. */
      readonly breaks: readonly { readonly id: string; readonly problem: string }[];
    }
  | { readonly problems: readonly FieldProblem[] };

interface FieldProblem {
  /** Empty if the whole value is meant. */
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
  /** Who makes the change. */
  readonly by: Actor;
}

/** Returns a test for membership by id. */
export function isAmong(named: readonly { readonly id: string }[]): (id: string) => boolean {
  const ids = new Set(named.map(({ id }) => id));
  return (id) => ids.has(id);
}

const maxStored = 10_000;
const maxShown = 5;

/**
 * Adds or replaces a stored route. `value` has the format of the configuration file, without the id.
 * @throws 400 naming the field; 409 if the configuration owns the name, or another route would become invalid
 */
export async function putRoute(tools: ChangeTools, id: string, value: unknown): Promise<StoredRoute> {
  const { store, clock, by } = tools;
  return withNewest(store, "routes", async (stored, version) => {
    const definitions = stored.map(({ definition }) => definition);
    const definition = await readDefinition(tools, id, value, definitions);
    if (stored.length >= maxStored && !definitions.some((other) => other.id === id)) {
      throw conflict("too_many_routes", `The maximum of ${maxStored} stored routes is reached.`);
    }
    const route = { definition, updatedAt: clock.now() };
    return (await store.put(route, version, by)) ? route : null;
  });
}

/** The route that `putRoute` would store. @throws as it does */
export async function checkRoute(tools: Omit<ChangeTools, "by">, id: string, value: unknown): Promise<RouteDefinition> {
  const stored = await tools.store.list();
  return readDefinition(
    tools,
    id,
    value,
    stored.map(({ definition }) => definition),
  );
}

async function readDefinition(
  { read, isConfigured }: Pick<ChangeTools, "read" | "isConfigured">,
  id: string,
  value: unknown,
  stored: readonly RouteDefinition[],
): Promise<RouteDefinition> {
  if (isConfigured(id)) throw ownedByConfiguration(id);
  if (isObject(value) && value["id"] !== undefined && value["id"] !== id) {
    throw invalidParameter("id", "the name of the route, or absent");
  }
  const reading = await read(isObject(value) ? { ...value, id } : value, stored);
  if ("problems" in reading) throw wrongRoute(reading.problems);
  const [broken] = reading.breaks;
  if (broken) throw inUse(`The route '${broken.id}' would become invalid: ${broken.problem}.`);
  return reading.route;
}

/**
 * Removes a stored route.
 * @throws 404 if it does not exist; 409 if it belongs to the configuration, or another stored route refers to it
 */
export async function removeRoute(tools: ChangeTools, id: string): Promise<void> {
  const { store, isModel, isConfigured, by } = tools;
  await withNewest(store, "routes", async (stored, version) => {
    if (!stored.some(({ definition }) => definition.id === id)) {
      if (isConfigured(id)) throw ownedByConfiguration(id);
      throw notFound("route_not_found", `The stored route '${id.slice(0, 100)}' does not exist.`);
    }
    // A stored route hidden by a configured name is not in use.
    const users = isConfigured(id) || isModel(id) ? [] : stored.filter(({ definition }) => leadsTo(definition, id));
    if (users.length > 0) {
      const names = users.slice(0, maxShown).map(({ definition }) => `'${definition.id}'`);
      const more = users.length > maxShown ? ` and ${users.length - maxShown} more` : "";
      throw inUse(
        `The route '${id}' is used by ${names.join(", ")}${more}. Change or remove ${users.length === 1 ? "it" : "them"} first.`,
      );
    }
    return (await store.remove(id, version, by)) ? true : null;
  });
}

function leadsTo(definition: RouteDefinition, id: string): boolean {
  return definition.kind === "alias"
    ? definition.leadsTo === id
    : definition.members.some((member) => member.model === id);
}

function wrongRoute(problems: readonly FieldProblem[]): GatewayError {
  const shown = problems.slice(0, maxShown).map(({ path, found, allowed }) => {
    return `${path === "" ? "the route" : `'${path}'`}: found ${found}; allowed: ${allowed}.`;
  });
  const param = problems[0]?.path ?? "";
  return invalidRequest("invalid_parameter", `Invalid route. ${shown.join(" ")}`, param === "" ? null : param);
}

function ownedByConfiguration(id: string): GatewayError {
  const message = `The route '${id}' is defined in the configuration file. Change it there.`;
  return conflict("route_in_configuration", message);
}

function inUse(message: string): GatewayError {
  return conflict("route_in_use", message);
}

function conflict(code: ErrorNameOf<"conflict_error">, message: string): GatewayError {
  return GatewayError.of(code, message);
}
