import type { Identity } from "../../access/identity.ts";
import type { Destination } from "./destination.ts";
import type { Model } from "./model.ts";
import { scopeWithin } from "./scope-within.ts";

/** A route as shown in a list of models; null if the key may use none of its models. */
export function asListed(name: string, destination: Destination, identity: Identity): Model | null {
  const mayUse = scopeWithin(identity, destination);
  const models = destination.members.map(({ model }) => model).filter(mayUse);
  const [first] = models;
  if (!first) return null;
  if (!destination.isPolicy) return { ...first, id: name };
  return {
    ...first,
    id: name,
    name,
    description: null,
    ownedBy: "tollgate",
    created: 0,
    endpoints: [...new Set(models.flatMap(({ endpoints }) => endpoints))],
    contextLength: maxOf(models.map(({ contextLength }) => contextLength)),
    maxOutputTokens: maxOf(models.map(({ maxOutputTokens }) => maxOutputTokens)),
    deprecatedAt: null,
  };
}

/** Null if one of the values is unknown. */
function maxOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : Math.max(...known);
}
