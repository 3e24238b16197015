import { type GatewayError, invalidRequest } from "../errors.ts";
import { parseExactly } from "./exact-numbers.ts";
import { JsonTooComplex, jsonBounds, tooDeep, tooMany } from "./structure.ts";
import { scanTopLevel, type Member } from "./top-level.ts";
import { isObject, type JsonObject } from "./values.ts";

/**
 * Parses a body that must be a JSON object, and locates the members in `changeable`.
 * Throws a 400 if it is not an object, is nested too deeply or holds too many long numbers.
 */
export function readJsonObject(
  text: string,
  changeable: ReadonlySet<string>,
): { readonly body: JsonObject; readonly members: readonly Member[] } {
  let body: unknown;
  let members: readonly Member[];
  try {
    const scanned = scanTopLevel(text, changeable);
    if (scanned.depth > jsonBounds.depth) throw tooDeep();
    if (scanned.longNumbers > jsonBounds.longNumbers) throw tooMany("longNumbers", "numbers of 16 digits or more");
    members = scanned.members;
    body = parseExactly(text, scanned.longNumbers > 0);
  } catch (cause) {
    if (cause instanceof JsonTooComplex) throw tooComplex(cause);
    const reason = cause instanceof SyntaxError ? ` ${cause.message}.` : "";
    throw invalidRequest("invalid_json", `The request body is not valid JSON.${reason}`);
  }
  if (!isObject(body)) throw invalidRequest("invalid_json", "The request body must be a JSON object.");
  return { body, members };
}

/** 400: parsing the body would block other requests. */
export function tooComplex({ message }: JsonTooComplex): GatewayError {
  return invalidRequest("invalid_json", `The request body is too complex: ${message}.`);
}
