import type { Identity } from "../../access/identity.ts";
import { allowsModel } from "../../access/scopes.ts";
import type { Destination } from "./destination.ts";
import type { Model } from "./model.ts";

/**
 * Returns which models of a destination a key may use. If its scope names some of them, it may use those; if its scope
 * names only the route, it may use all of them through the route.
 */
export function scopeWithin(identity: Identity, { members, names }: Destination): (model: Model) => boolean {
  if (identity.key.scopes.models === null) return () => true;
  const byModel = (model: Model) => allowsModel(identity, model.id);
  if (members.some(({ model }) => byModel(model))) return byModel;
  const byName = names.some((name) => allowsModel(identity, name));
  return () => byName;
}
