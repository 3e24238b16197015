import { type Path, pathKey } from "./path.ts";

/** Values under these names are secret. */
const secretNames = new Set(["api_key", "api_keys", "headers", "secret", "webhook_secret"]);

/** Addresses, which may have a password or a key in them. */
const addressNames = new Set(["base_url", "url"]);

/** Longer texts are shown in part. */
const maxShown = 80;

const maxNameLength = 40;

const maxStepLength = 64;

/**
 * Describes a value without revealing secrets: it is shown unless it is at the place of a secret, is from the environment
 * or looks like a credential. `replaced` has the paths, as keys, of values from the environment.
 */
export function describeFound(value: unknown, path: Path, replaced: ReadonlySet<string>): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length} ${value.length === 1 ? "item" : "items"}`;
  if (typeof value === "object") return "a map";
  const secret = replaced.has(pathKey(path)) || path.some((step) => secretNames.has(String(step)));
  const name = path.at(-1);
  if (typeof value === "number" && !secret) return String(value);
  if (typeof value !== "string") return secret ? `a ${typeof value}` : JSON.stringify(value);
  if (value === "") return "an empty string";
  const length = `${value.length} ${value.length === 1 ? "character" : "characters"}`;
  const isAddress = addressNames.has(String(name));
  // In other texts a slash may be a digit of base64.
  const words = isAddress ? value.split("/") : [value];
  if (secret || (isAddress && /[@?]/.test(value)) || words.some(isLikeCredential)) return `a string of ${length}`;
  return value.length > maxShown ? `${quoted(value.slice(0, maxShown))}... (${length})` : quoted(value);
}

/** A text in quotes, with everything but letters, digits and plain punctuation escaped: a terminal may obey the rest. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e\p{L}\p{N}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
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
const credential = /(^|[^a-z0-9])((sk|pk|rk|gsk|xai|hf|key)[-_]|AIza|Bearer )/i;

/** A long run of letters and digits, like a key without a prefix. */
const randomWord = /(?=[\w+/=-]*[0-9])(?=[\w+/=-]*[a-z])[\w+/=]{32,}/i;

function isLikeCredential(text: string): boolean {
  return credential.test(text) || randomWord.test(text);
}

/** Whether a name may be shown in a problem: short, printable, and unlike a credential. */
export function mayShow(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[\x20-\x7e]+$/.test(text) && !isLikeCredential(text);
}
