import { mayShow } from "./may-show.ts";

/** The way to a value in a configuration: names of maps and places in lists. */
export type Path = readonly (string | number)[];

const longestName = 64;

/** A path as a key to look it up by. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** `["providers", 0, "base_url"]` as `providers[0].base_url`, for errors. A name that would be unclear is quoted. */
export function formatPath(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!mayShow(step, longestName)) text += "[...]";
    else if (/^[\w-]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** The value at a path; undefined where the path leads nowhere. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    // Lists answer to numbers, maps to names.
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
