import { type GatewayError, invalidRequest } from "../errors.ts";
import { parseExactly } from "./exact-numbers.ts";
import { JsonTooComplex, jsonBounds, tooDeep, tooMany } from "./structure.ts";
import { scanTopLevel, type Member, type TopLevel } from "./top-level.ts";
import { isObject, type JsonObject } from "./values.ts";

/**
 * Parses a body that must be a JSON object, and locates the members in `changeable`. Throws a 400 if it is not an object,
 * is nested too deeply, holds too many long numbers, or if it or an object in `changeable` has a member twice.
 */
export function readJsonObject(
  text: string,
  changeable: ReadonlySet<string>,
): { readonly body: JsonObject; readonly members: readonly Member[] } {
  let body: unknown;
  let scanned: TopLevel;
  try {
    scanned = scanTopLevel(text, changeable);
    if (scanned.depth > jsonBounds.depth) throw tooDeep();
    if (scanned.longNumbers > jsonBounds.longNumbers) throw tooMany("longNumbers", "numbers of 16 digits or more");
    body = parseExactly(text, scanned.longNumbers > 0);
  } catch (cause) {
    if (cause instanceof JsonTooComplex) throw tooComplex(cause);
    const reason = cause instanceof SyntaxError ? ` ${cause.message}.` : "";
    throw invalidRequest("invalid_json", `The request body is not valid JSON.${reason}`);
  }
  if (!isObject(body)) throw invalidRequest("invalid_json", "The request body must be a JSON object.");
  const { members } = scanned;
  refuseRepeated(text, body, scanned.memberCount, "");
  for (const { key, valueStart, valueEnd } of members) {
    const value = body[key];
    if (!isObject(value)) continue;
    const inner = text.slice(valueStart, valueEnd);
    refuseRepeated(inner, value, scanTopLevel(inner, noNames).memberCount, `${key}.`);
  }
  return { body, members };
}

const noNames: ReadonlySet<string> = new Set();

/** The gateway reads the last of two members of one name, and another server perhaps the first. */
function refuseRepeated(text: string, object: JsonObject, memberCount: number, path: string): void {
  const names = Object.keys(object);
  if (names.length === memberCount) return;
  const seen = new Set<string>();
  for (const { key } of scanTopLevel(text, new Set(names)).members) {
    if (seen.has(key)) {
      const name = path + key;
      throw invalidRequest("invalid_parameter", `Duplicate parameter: '${name}'. Send it once.`, name);
    }
    seen.add(key);
  }
}

/** 400: parsing the body would block other requests. */
export function tooComplex({ message }: JsonTooComplex): GatewayError {
  return invalidRequest("invalid_json", `The request body is too complex: ${message}.`);
}
