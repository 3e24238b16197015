import type { JsonObject } from "../../json/values.ts";

/** What is noted while a request is read: the paths of fields that no dialect knows. */
export interface Reading {
  readonly unknown: string[];
}

/** Notes the fields of a node that are set and not among those read. Null and false are what absence means. */
export function noteOthers(node: JsonObject, read: ReadonlySet<string>, path: string, reading: Reading): void {
  for (const name in node) {
    const value = node[name];
    if (!read.has(name) && value !== null && value !== undefined && value !== false) {
      reading.unknown.push(path === "" ? name : `${path}.${name}`);
    }
  }
}

export function names(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
