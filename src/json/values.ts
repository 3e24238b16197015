import { ExactNumber } from "./exact-numbers.ts";

/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** The value where it is a string, else null. */
export function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The value where it is a list, else an empty one. */
export function listOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
