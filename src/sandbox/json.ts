/** A JSON object of which nothing is known yet. */
export type JsonObject = Record<string, unknown>;

/** Whether a parsed JSON value is an object (neither null nor an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one where it is anything else. */
export function objectOrEmpty(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one where it is anything else. */
export function listOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
