import type { Identity } from "../../access/identity.ts";
import type { Destination } from "./destination.ts";
import type { Model } from "./model.ts";
import { scopeWithin } from "./scope-within.ts";

/** A route as a list of models shows it to a key; null where the key may use nothing behind it. */
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
    contextLength: greatest(models.map(({ contextLength }) => contextLength)),
    maxOutputTokens: greatest(models.map(({ maxOutputTokens }) => maxOutputTokens)),
    deprecatedAt: null,
  };
}

/** Null where one of them is not known. */
function greatest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : Math.max(...known);
}
