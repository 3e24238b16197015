import { invalidRequest } from "../errors.ts";
import type { JsonObject } from "./values.ts";

/** The names of the fields that a body may have, by their folded form. */
export type FieldNames = ReadonlyMap<string, string>;

/** Prepares names for `refuseOtherCase`. */
export function fieldNames(names: Iterable<string>): FieldNames {
  return new Map([...names].map((name) => [fold(name), name]));
}

/**
 * Refuses a body with a member whose name differs from a known field only in case. The gateway reads `model`; a server
 * whose JSON reader ignores case would read `MODEL` instead. Throws a 400 that names the member.
 */
export function refuseOtherCase(body: JsonObject, known: FieldNames): void {
  for (const name in body) {
    // Nearly all names are known, and in lower case already.
    if (known.get(name) === name) continue;
    const field = known.get(fold(name));
    if (field === undefined || field === name) continue;
    const message = `Unknown parameter: '${name}'. Names are case-sensitive: use '${field}'.`;
    throw invalidRequest("invalid_parameter", message, name);
  }
}

/** As readers that ignore case do: by Unicode's simple folding, where `ſ` is `s` and the Kelvin sign is `k`. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}
