/** Values of a path's placeholders. */
export type PathParameters = Readonly<Record<string, string>>;

/** Matches the paths of a pattern. */
export interface PathPattern {
  readonly pattern: string;
  /** The values of its placeholders; null if the path is another one. */
  match(path: string): PathParameters | null;
}

/** Compiles a path in which `{name}` stands for one segment, and `{name+}` for one or more. */
export function compilePath(pattern: string): PathPattern {
  const source = pattern.split(/(\{\w+\+?\})/).map((part) => {
    const placeholder = /^\{(\w+)(\+?)\}$/.exec(part);
    if (!placeholder) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return `(?<${placeholder[1]}>${placeholder[2] === "+" ? "[^]+" : "[^/]+"})`;
  });
  const expression = new RegExp(`^${source.join("")}$`);
  return { pattern, match: (path) => expression.exec(path)?.groups ?? (path === pattern ? {} : null) };
}

/**
 * A path as it was meant: one that is badly escaped is taken as it is written. NUL characters become U+FFFD: nothing is named
 * so, and Postgres refuses to look for it.
 */
export function unescapePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path).replaceAll("\0", "\ufffd");
  } catch {
    return path;
  }
}
