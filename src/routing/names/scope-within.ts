import type { Identity } from "../../access/identity.ts";
import { allowsModel } from "../../access/scopes.ts";
import type { Destination } from "./destination.ts";
import type { Model } from "./model.ts";

/**
 * Which models behind a name a key may use. A key whose scope names some of them may use those; one whose scope names only
 * the route may use what is behind it, though not by its own name.
 */
export function scopeWithin(identity: Identity, { members, names }: Destination): (model: Model) => boolean {
  if (identity.key.scopes.models === null) return () => true;
  const byModel = (model: Model) => allowsModel(identity, model.id);
  if (members.some(({ model }) => byModel(model))) return byModel;
  const byName = names.some((name) => allowsModel(identity, name));
  return () => byName;
}
