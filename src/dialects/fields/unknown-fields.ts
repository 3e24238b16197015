import type { JsonObject } from "../../json/values.ts";

/** Paths of fields that the dialect's decoder does not know, gathered while a request is read. */
export type Unknown = string[];

const knownNames = new Map<string, ReadonlySet<string>>();

/** Notes the fields of an object that are none of `known`, a list of names separated by spaces. */
export function noteUnknown(object: JsonObject, known: string, path: string, unknown: Unknown): void {
  let names = knownNames.get(known);
  if (names === undefined) {
    names = new Set(known.split(" "));
    knownNames.set(known, names);
  }
  for (const name in object) {
    if (names.has(name) || object[name] === null) continue;
    unknown.push(path === "" ? name : `${path}.${name}`);
  }
}
