import type { Path } from "./path.ts";

/** A problem of the value at a path. */
export interface FieldProblem {
  readonly path: Path;
  readonly found: string;
  readonly allowed: string;
  /** The problem as a sentence, if it adds to the value found and the values allowed. */
  readonly sentence?: string;
}

/** Returns the list with this name; empty if there is none. */
export function itemsOf(value: unknown, name: string): readonly unknown[] {
  const items = fieldOf(value, name);
  return Array.isArray(items) ? items : [];
}

export function fieldOf(value: unknown, name: string): unknown {
  // The name may be absent from the object.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Whether the field has a value: null counts as absent. */
export function hasField(value: unknown, name: string): boolean {
  return (fieldOf(value, name) ?? null) !== null;
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
