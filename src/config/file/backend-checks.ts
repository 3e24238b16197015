import { findSearchProvider } from "../../search/providers/registry.ts";
import { describeName } from "./describe.ts";
import { type FieldProblem, fieldOf, hasField, isText, itemsOf } from "./plain-data.ts";

/** Checks rules across the fields of search backends. */
export function checkBackends(file: unknown): FieldProblem[] {
  const backends = itemsOf(fieldOf(file, "search"), "backends");
  return checkBackendList(backends, (index) => `search.backends[${index}]`).map((problem) => ({
    ...problem,
    path: ["search", "backends", ...problem.path],
  }));
}

/** Checks the same of a list of backends. Paths begin with the index. @param nameOf names the backend at an index */
export function checkBackendList(backends: readonly unknown[], nameOf: (index: number) => string): FieldProblem[] {
  return [...duplicateNames(backends, nameOf), ...backends.flatMap(addressField), ...backends.flatMap(keyFields)];
}

/** Callers name a backend by its id or its name, so each belongs to one backend alone. */
function duplicateNames(backends: readonly unknown[], nameOf: (index: number) => string): FieldProblem[] {
  const seen = new Map<string, number>();
  return backends.flatMap((backend, index) =>
    (["id", "name"] as const).flatMap((field) => {
      const name = fieldOf(backend, field);
      if (!isText(name)) return [];
      const path = [index, field];
      if (name === "auto")
        return [{ path, found: "'auto', which leaves the choice to the gateway", allowed: "another name" }];
      const user = seen.get(name) ?? index;
      seen.set(name, user);
      if (user === index) return [];
      const found = `${describeName(name)}, which ${nameOf(user)} has already`;
      return [{ path, found, allowed: `a unique ${field}` }];
    }),
  );
}

/** A vendor's own address need not be given. */
function addressField(backend: unknown, index: number): FieldProblem[] {
  const provider = fieldOf(backend, "provider");
  const known = isText(provider) ? findSearchProvider(provider) : null;
  if (known === null || known.defaultBaseUrl !== null || hasField(backend, "base_url")) return [];
  const allowed = `the address of the server, since ${known.title} has none of its own`;
  return [{ path: [index, "base_url"], found: "nothing", allowed }];
}

function keyFields(backend: unknown, index: number): FieldProblem[] {
  if (!hasField(backend, "api_key") || !hasField(backend, "api_keys")) return [];
  const allowed = "'api_key' for one key, or 'api_keys' for a list of them";
  return [{ path: [index, "api_keys"], found: "both 'api_key' and 'api_keys'", allowed }];
}
