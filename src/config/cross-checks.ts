import { dialectNames } from "./config.ts";
import { sandboxModels, sandboxProviderId } from "./defaults.ts";
import { nearestName } from "./nearest-name.ts";
import { describeName } from "./found.ts";
import { type CrossFault, fieldOf, hasField, isText, itemsOf } from "./plain-data.ts";
import { checkRoutes } from "./route-checks.ts";
import { autoPolicy } from "./route-names.ts";

/**
 * Checks what no field can tell by itself: names that must be unique and names that must exist. Reads the file's plain
 * data, which may be wrong elsewhere, so that these faults are told together with all others.
 */
export function crossCheck(file: unknown, usesSandbox: boolean): CrossFault[] {
  const providers = itemsOf(file, "providers");
  const models = itemsOf(file, "models");
  const providerIds = providers.map((provider) => fieldOf(provider, "id"));
  const modelIds = models.map((model) => fieldOf(model, "id"));
  const routeIds = itemsOf(file, "routes").map((route) => fieldOf(route, "id"));
  const ownProviders = usesSandbox ? [sandboxProviderId] : [];
  const ownModels = usesSandbox ? sandboxModels.map((model) => model.id) : [];
  const knownProviders = [...new Set([...providerIds, ...ownProviders].filter(isText))];
  const builtIn = (ids: readonly string[]) => ids.map((id): Holder => [id, "the built-in sandbox"]);
  const auto: Holder[] = fieldOf(file, "auto") === true ? [[autoPolicy, "the built-in policy"]] : [];
  const byModel = modelIds.map((id, index): Holder => [id, `models[${index}]`]);
  return [
    ...repeated("providers", providerIds, builtIn(ownProviders)),
    ...repeated("models", modelIds, [...builtIn(ownModels), ...auto]),
    ...repeated("routes", routeIds, [...byModel, ...builtIn(ownModels), ...auto]),
    ...checkRoutes(file, [...modelIds.filter(isText), ...ownModels]),
    ...models.flatMap(strayStars),
    ...models.flatMap((model, index) => unknownProviders(model, index, knownProviders)),
    ...providers.flatMap(repeatedHeaders),
    ...providers.flatMap(oneDialectField),
    ...providers.flatMap(oneKeyField),
    ...models.flatMap(emptyTemperature),
  ];
}

/** `dialect` for the usual provider, `dialects` for one that speaks several at one address: never both, never none. */
function oneDialectField(provider: unknown, index: number): CrossFault[] {
  const single = fieldOf(provider, "dialect") !== undefined;
  const several = fieldOf(provider, "dialects") !== undefined;
  if (single !== several || typeof provider !== "object" || provider === null) return [];
  const allowed = `one of ${dialectNames.join(", ")}, or a list of them as 'dialects'`;
  return [
    { path: ["providers", index, "dialect"], found: single ? "both 'dialect' and 'dialects'" : "nothing", allowed },
  ];
}

function oneKeyField(provider: unknown, index: number): CrossFault[] {
  if (!hasField(provider, "api_key") || !hasField(provider, "api_keys")) return [];
  const allowed = "'api_key' for one key, or 'api_keys' for a list of them";
  return [{ path: ["providers", index, "api_keys"], found: "both 'api_key' and 'api_keys'", allowed }];
}

/** An id, and who has it. */
type Holder = readonly [id: unknown, holder: string];

function repeated(list: string, ids: readonly unknown[], taken: readonly Holder[]): CrossFault[] {
  const seen = new Map<unknown, string>(taken);
  return ids.flatMap((id, index) => {
    if (!isText(id)) return [];
    const holder = seen.get(id);
    if (holder === undefined) {
      seen.set(id, `${list}[${index}]`);
      return [];
    }
    return [{ path: [list, index, "id"], found: `the id of ${holder} again`, allowed: "an id of its own" }];
  });
}

function unknownProviders(model: unknown, index: number, known: readonly string[]): CrossFault[] {
  return itemsOf(model, "targets").flatMap((target, place) => {
    const provider = fieldOf(target, "provider");
    if (!isText(provider) || known.includes(provider)) return [];
    const nearest = nearestName(provider, known);
    const hint = nearest === null ? "" : ` (did you mean "${nearest}"?)`;
    return [
      {
        path: ["models", index, "targets", place, "provider"],
        found: `an unknown provider ${describeName(provider)}${hint}`,
        allowed: known.length === 0 ? "a provider's id, and there are none" : `one of ${known.join(", ")}`,
      },
    ];
  });
}

/** `*` in a target stands for what a name holds after the prefix of a wildcard model. */
function strayStars(model: unknown, index: number): CrossFault[] {
  const id = fieldOf(model, "id");
  if (!isText(id)) return [];
  return itemsOf(model, "targets").flatMap((target, place) => {
    const name = fieldOf(target, "model");
    const stars = isText(name) ? name.split("*").length - 1 : 0;
    const path = ["models", index, "targets", place, "model"];
    if (stars > 0 && !id.endsWith("/*")) {
      return [{ path, found: "a *", allowed: "a * only where the model's id ends in /*, such as openai/*" }];
    }
    return stars > 1 ? [{ path, found: `${stars} times a *`, allowed: "one * at most" }] : [];
  });
}

function repeatedHeaders(provider: unknown, index: number): CrossFault[] {
  const headers = fieldOf(provider, "headers");
  if (typeof headers !== "object" || headers === null) return [];
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name) => {
    const isNew = !seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const path = ["providers", index, "headers", name];
    return isNew ? [] : [{ path, found: "the same header a second time", allowed: "each header once, in any case" }];
  });
}

function emptyTemperature(model: unknown, index: number): CrossFault[] {
  const min = fieldOf(fieldOf(model, "temperature"), "min");
  const max = fieldOf(fieldOf(model, "temperature"), "max");
  if (typeof min !== "number" || typeof max !== "number" || min <= max) return [];
  return [{ path: ["models", index, "temperature"], found: "min above max", allowed: "min at most max" }];
}
