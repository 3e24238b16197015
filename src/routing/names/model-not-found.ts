import type { Identity } from "../../access/identity.ts";
import { type GatewayError, notFound } from "../../errors.ts";
import { nearestNames } from "../../nearest-name.ts";
import type { Names } from "./names.ts";

/** Names compared with the unknown one: a caller in a loop must not keep the gateway busy with a long catalog. */
const maxCompared = 500;
const maxSuggested = 3;

/** 404 for an unknown name, with the nearest ones that the key may use. */
export function modelNotFound(name: string, names: Names, identity: Identity): GatewayError {
  // It is caller input, so it is cut.
  const shown = name.slice(0, 100);
  const nearest = nearestNames(name, Iterator.from(names.usableBy(identity)).take(maxCompared), maxSuggested);
  // `openai/*` serves gpt-5 as openai/gpt-5.
  const below = name.includes("/") ? [] : names.belowPatterns(shown, identity).slice(0, maxSuggested);
  const quoted = (ids: readonly string[]) => ids.map((id) => `'${id}'`).join(" or ");
  let hint = "";
  if (nearest.length > 0) hint = ` Did you mean ${quoted(nearest)}?`;
  else if (below.length > 0) hint = ` Models have a prefix here, as in ${quoted(below)}.`;
  const list = "GET /v1/models lists the models that this API key may use.";
  return notFound("model_not_found", `The model '${shown}' does not exist.${hint} ${list}`, "model");
}
