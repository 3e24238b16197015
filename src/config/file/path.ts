/** The path to a value in a configuration: names in maps and indexes in lists. */
export type Path = readonly (string | number)[];

/** Converts a path to a key for maps and sets. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    // Lists are indexed by numbers, maps by names.
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
