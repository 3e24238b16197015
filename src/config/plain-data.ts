import type { Path } from "./path.ts";

/** Something that is wrong only in view of something else. */
export interface CrossFault {
  readonly path: Path;
  readonly found: string;
  readonly allowed: string;
}

/** The list under this name; an empty one where there is none. */
export function itemsOf(value: unknown, name: string): readonly unknown[] {
  const items = fieldOf(value, name);
  return Array.isArray(items) ? items : [];
}

export function fieldOf(value: unknown, name: string): unknown {
  // Any object can be asked for a name it may not have.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Whether something was said there: a name without a value is as if left out. */
export function hasField(value: unknown, name: string): boolean {
  return (fieldOf(value, name) ?? null) !== null;
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
