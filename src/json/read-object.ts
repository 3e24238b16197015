import { invalidRequest } from "../errors.ts";
import { parseExactly } from "./exact-numbers.ts";
import { scanTopLevel, type Member } from "./top-level.ts";
import { isObject, type JsonObject } from "./values.ts";

/** Maximum nesting depth. */
const maxDepth = 256;

/**
 * Parses a body that must be a JSON object, and locates the members in `changeable`.
 * Throws a 400 if it is not an object or is nested too deeply.
 */
export function readJsonObject(
  text: string,
  changeable: ReadonlySet<string>,
): { readonly body: JsonObject; readonly members: readonly Member[] } {
  let body: unknown;
  try {
    body = parseExactly(text);
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? ` ${cause.message}.` : "";
    throw invalidRequest("invalid_json", `The request body is not valid JSON.${reason}`);
  }
  if (!isObject(body)) throw invalidRequest("invalid_json", "The request body must be a JSON object.");
  const { members, depth } = scanTopLevel(text, changeable);
  if (depth > maxDepth) throw invalidRequest("invalid_json", `The JSON is nested deeper than ${maxDepth} levels.`);
  return { body, members };
}
