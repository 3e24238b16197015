import { defaultBaseUrl, dialectNames } from "../../dialects/registry.ts";
import { sandboxModels, sandboxProviderId } from "../defaults.ts";
import { nearestName } from "../../nearest-name.ts";
import { describeName } from "./describe.ts";
import { type FieldProblem, fieldOf, hasField, isText, itemsOf } from "./plain-data.ts";
import { checkBackends } from "./backend-checks.ts";
import { checkRoutes } from "../routes/route-checks.ts";
import { autoPolicy } from "../routes/route-names.ts";

/**
 * Checks rules across fields: names that must be unique, and names that must exist. Works on the plain data, which may
 * have other problems, so that all problems are reported together.
 */
export function crossCheck(file: unknown, usesSandbox: boolean): FieldProblem[] {
  const providers = itemsOf(file, "providers");
  const models = itemsOf(file, "models");
  const providerIds = providers.map((provider) => fieldOf(provider, "id"));
  const modelIds = models.map((model) => fieldOf(model, "id"));
  const routeIds = itemsOf(file, "routes").map((route) => fieldOf(route, "id"));
  const ownProviders = usesSandbox ? [sandboxProviderId] : [];
  const ownModels = usesSandbox ? sandboxModels.map((model) => model.id) : [];
  const knownProviders = [...new Set([...providerIds, ...ownProviders].filter(isText))];
  const builtIn = (ids: readonly string[]) => ids.map((id): UsedId => [id, "the built-in sandbox"]);
  const auto: UsedId[] = fieldOf(file, "auto") === true ? [[autoPolicy, "the built-in policy"]] : [];
  const byModel = modelIds.map((id, index): UsedId => [id, `models[${index}]`]);
  return [
    ...duplicateIds("providers", providerIds, builtIn(ownProviders)),
    ...duplicateIds("models", modelIds, [...builtIn(ownModels), ...auto]),
    ...duplicateIds("routes", routeIds, [...byModel, ...builtIn(ownModels), ...auto]),
    ...checkRoutes(file, [...modelIds.filter(isText), ...ownModels]),
    ...models.flatMap(misplacedWildcards),
    ...models.flatMap((model, index) => unknownProviders(model, index, knownProviders)),
    ...providers.flatMap(duplicateHeaders),
    ...providers.flatMap(dialectFields),
    ...providers.flatMap(keyFields),
    ...providers.flatMap(addressField),
    ...providers.flatMap(certificateFields),
    ...providers.flatMap(webhookSecret),
    ...models.flatMap(temperatureRange),
    ...checkBackends(file),
  ];
}

/** A provider has either `dialect`, or `dialects` if it serves several at one address. */
function dialectFields(provider: unknown, index: number): FieldProblem[] {
  const single = fieldOf(provider, "dialect") !== undefined;
  const several = fieldOf(provider, "dialects") !== undefined;
  if (single !== several || typeof provider !== "object" || provider === null) return [];
  const allowed = `one of ${dialectNames.join(", ")}, or a list of them as 'dialects'`;
  return [
    { path: ["providers", index, "dialect"], found: single ? "both 'dialect' and 'dialects'" : "nothing", allowed },
  ];
}

/** A vendor's own address need not be given. */
function addressField(provider: unknown, index: number): FieldProblem[] {
  if (typeof provider !== "object" || provider === null || hasField(provider, "base_url")) return [];
  const dialect = fieldOf(provider, "dialect");
  if (typeof dialect === "string" && defaultBaseUrl(dialect) !== null) return [];
  return [{ path: ["providers", index, "base_url"], found: "nothing", allowed: "the address of the provider" }];
}

/** A client certificate and its key belong together. */
function certificateFields(provider: unknown, index: number): FieldProblem[] {
  const tls = fieldOf(provider, "tls");
  if (hasField(tls, "cert") === hasField(tls, "key")) return [];
  const found = hasField(tls, "cert") ? "'cert' without 'key'" : "'key' without 'cert'";
  return [{ path: ["providers", index, "tls"], found, allowed: "both 'cert' and 'key', or neither" }];
}

/** What webhooks of a provider are checked with, by its dialect. */
const webhookSecrets = new Map<unknown, readonly [form: RegExp, allowed: string]>([
  ["fal", [/^[\w-]{43}([ ,]+[\w-]{43})*$/, "the 'x' of each public key in fal's JWKS, with spaces between them"]],
  ["replicate", [/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/, "Replicate's signing secret, which begins with whsec_"]],
]);

function webhookSecret(provider: unknown, index: number): FieldProblem[] {
  const secret = fieldOf(provider, "webhook_secret");
  if (!isText(secret)) return [];
  const names = [fieldOf(provider, "dialect"), ...itemsOf(provider, "dialects")];
  const [form, allowed] = names.map((name) => webhookSecrets.get(name)).find(Boolean) ?? [];
  if (form?.test(secret) === true) return [];
  const none = `nothing: of all dialects, ${[...webhookSecrets.keys()].join(" and ")} have webhooks`;
  return [{ path: ["providers", index, "webhook_secret"], found: "another text", allowed: allowed ?? none }];
}

function keyFields(provider: unknown, index: number): FieldProblem[] {
  if (!hasField(provider, "api_key") || !hasField(provider, "api_keys")) return [];
  const allowed = "'api_key' for one key, or 'api_keys' for a list of them";
  return [{ path: ["providers", index, "api_keys"], found: "both 'api_key' and 'api_keys'", allowed }];
}

/** An id that is in use, and by what. */
type UsedId = readonly [id: unknown, user: string];

function duplicateIds(list: string, ids: readonly unknown[], taken: readonly UsedId[]): FieldProblem[] {
  const seen = new Map<unknown, string>(taken);
  return ids.flatMap((id, index) => {
    if (!isText(id)) return [];
    const user = seen.get(id);
    if (user === undefined) {
      seen.set(id, `${list}[${index}]`);
      return [];
    }
    const named = describeName(id).replace(/^"(.*)"$/, "'$1'");
    const sentence = `Duplicate ${list.slice(0, -1)} id ${named} (${user}).`;
    return [{ path: [list, index, "id"], found: `a duplicate id ${named}`, allowed: "a unique id", sentence }];
  });
}

function unknownProviders(model: unknown, index: number, known: readonly string[]): FieldProblem[] {
  return itemsOf(model, "targets").flatMap((target, place) => {
    const provider = fieldOf(target, "provider");
    if (!isText(provider) || known.includes(provider)) return [];
    const nearest = nearestName(provider, known);
    const hint = nearest === null ? "" : ` (did you mean "${nearest}"?)`;
    return [
      {
        path: ["models", index, "targets", place, "provider"],
        found: `an unknown provider ${describeName(provider)}${hint}`,
        allowed: known.length === 0 ? "the id of a provider, but none is configured" : `one of ${known.join(", ")}`,
      },
    ];
  });
}

/** `*` in a target stands for the part of a name after the prefix of a wildcard model. */
function misplacedWildcards(model: unknown, index: number): FieldProblem[] {
  const id = fieldOf(model, "id");
  if (!isText(id)) return [];
  return itemsOf(model, "targets").flatMap((target, place) => {
    const name = fieldOf(target, "model");
    const stars = isText(name) ? name.split("*").length - 1 : 0;
    const path = ["models", index, "targets", place, "model"];
    if (stars > 0 && !id.endsWith("/*")) {
      return [
        { path, found: "a wildcard (*)", allowed: "* only if the id of the model ends with /*, such as openai/*" },
      ];
    }
    return stars > 1 ? [{ path, found: `${stars} wildcards (*)`, allowed: "at most one *" }] : [];
  });
}

function duplicateHeaders(provider: unknown, index: number): FieldProblem[] {
  const headers = fieldOf(provider, "headers");
  if (typeof headers !== "object" || headers === null) return [];
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name) => {
    const isNew = !seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const path = ["providers", index, "headers", name];
    return isNew
      ? []
      : [{ path, found: "a duplicate header", allowed: "each header once (names are not case-sensitive)" }];
  });
}

function temperatureRange(model: unknown, index: number): FieldProblem[] {
  const min = fieldOf(fieldOf(model, "temperature"), "min");
  const max = fieldOf(fieldOf(model, "temperature"), "max");
  if (typeof min !== "number" || typeof max !== "number" || min <= max) return [];
  return [
    { path: ["models", index, "temperature"], found: "min greater than max", allowed: "min not greater than max" },
  ];
}
