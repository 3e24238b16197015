import { type Path, pathKey } from "./path.ts";

/** Values under these names may contain a secret. */
const secretNames = new Set(["api_key", "headers", "base_url", "url"]);

/** Maximum length of a text that is shown: a misplaced credential is longer than valid values. */
const maxShown = 16;

const maxNameLength = 40;

const maxStepLength = 64;

/**
 * Describes a value without revealing secrets: a text is shown only if it is short, not at the place of a secret and not
 * from the environment. `replaced` has the paths, as keys, of values from the environment.
 */
export function describeFound(value: unknown, path: Path, replaced: ReadonlySet<string>): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length} ${value.length === 1 ? "item" : "items"}`;
  if (typeof value === "object") return "a map";
  const secret = replaced.has(pathKey(path)) || path.some((step) => secretNames.has(String(step)));
  if (typeof value === "number" && !secret) return String(value);
  if (typeof value !== "string") return secret ? `a ${typeof value}` : JSON.stringify(value);
  if (value === "") return "an empty string";
  const shown = !secret && mayShow(value, maxShown);
  return shown
    ? JSON.stringify(value)
    : `a string of ${value.length} ${value.length === 1 ? "character" : "characters"}`;
}

/** Describes a name without revealing secrets. */
export function describeName(name: string): string {
  return /^\S+$/.test(name) && mayShow(name, maxNameLength) ? JSON.stringify(name) : `of ${name.length} characters`;
}

/** Formats `["providers", 0, "base_url"]` as `providers[0].base_url`. Names with special characters are quoted. */
export function formatPath(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!mayShow(step, maxStepLength)) text += "[...]";
    else if (/^[\w-]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** The prefixes of credentials of well-known vendors. */
const credential = /^(sk|pk|rk|gsk|xai|hf|key)[-_]|^AIza|^Bearer /i;

/** Whether a text may be shown in a problem: short, printable, and unlike a credential. */
export function mayShow(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[\x20-\x7e]+$/.test(text) && !credential.test(text);
}
