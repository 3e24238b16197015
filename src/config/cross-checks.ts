import { dialectNames } from "./config.ts";
import { sandboxModels, sandboxProviderId } from "./defaults.ts";
import { nearestName } from "./nearest-name.ts";
import type { Path } from "./path.ts";
import { describeName } from "./found.ts";

/** Something that is wrong only in view of something else. */
export interface CrossFault {
  readonly path: Path;
  readonly found: string;
  readonly allowed: string;
}

/**
 * Checks what no field can tell by itself: names that must be unique and names that must exist. Reads the file's plain
 * data, which may be wrong elsewhere, so that these faults are told together with all others.
 */
export function crossCheck(file: unknown, usesSandbox: boolean): CrossFault[] {
  const providers = itemsOf(file, "providers");
  const models = itemsOf(file, "models");
  const providerIds = providers.map((provider) => fieldOf(provider, "id"));
  const modelIds = models.map((model) => fieldOf(model, "id"));
  const ownProviders = usesSandbox ? [sandboxProviderId] : [];
  const ownModels = usesSandbox ? sandboxModels.map((model) => model.id) : [];
  const knownProviders = [...new Set([...providerIds, ...ownProviders].filter(isText))];
  return [
    ...repeated("providers", providerIds, ownProviders),
    ...repeated("models", modelIds, ownModels),
    ...models.flatMap((model, index) => unknownProviders(model, index, knownProviders)),
    ...providers.flatMap(repeatedHeaders),
    ...providers.flatMap(oneDialectField),
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

function repeated(list: string, ids: readonly unknown[], builtIn: readonly string[]): CrossFault[] {
  const seen = new Map<unknown, string>(builtIn.map((id) => [id, "the built-in sandbox"]));
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

function itemsOf(value: unknown, name: string): readonly unknown[] {
  const items = fieldOf(value, name);
  return Array.isArray(items) ? items : [];
}

function fieldOf(value: unknown, name: string): unknown {
  // Any object can be asked for a name it may not have.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
