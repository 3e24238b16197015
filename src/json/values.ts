import { ExactNumber } from "./exact-numbers.ts";

/** A JSON object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** Returns the value if it is a string, otherwise null. */
export function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Returns the value if it is an array, otherwise an empty one. */
export function listOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The JSON value of a body. @throws SyntaxError */
export function parseBody(body: string | Uint8Array): unknown {
  return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
}
