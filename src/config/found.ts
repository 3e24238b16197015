import { mayShow } from "./may-show.ts";
import { type Path, pathKey } from "./path.ts";

/** Whatever stands under one of these names may be, or hold, a secret. */
const secretNames = new Set(["api_key", "headers", "base_url", "url"]);

/** Longer texts are not shown: a credential in the wrong place is longer than any right value. */
const longestShown = 16;

const longestName = 40;

/**
 * What was found, in words that give no secret away: a text is shown only where it is short, stands where no secret
 * belongs and did not come from the environment. `replaced` are the paths, as keys, of values that did.
 */
export function describeFound(value: unknown, path: Path, replaced: ReadonlySet<string>): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object") return "a map";
  const secret = replaced.has(pathKey(path)) || path.some((step) => secretNames.has(String(step)));
  if (typeof value === "number" && !secret) return String(value);
  if (typeof value !== "string") return secret ? `a ${typeof value}` : JSON.stringify(value);
  if (value === "") return "an empty text";
  const shown = !secret && mayShow(value, longestShown);
  return shown
    ? JSON.stringify(value)
    : `a string of ${value.length} ${value.length === 1 ? "character" : "characters"}`;
}

/** A name as an error may show it. */
export function describeName(name: string): string {
  return /^\S+$/.test(name) && mayShow(name, longestName) ? JSON.stringify(name) : `of ${name.length} characters`;
}
