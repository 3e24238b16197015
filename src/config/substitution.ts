import type { Environment } from "./config.ts";
import { type Path, pathKey } from "./path.ts";

/** A reference that stands for nothing. */
export interface SubstitutionFault {
  readonly path: Path;
  readonly found: string;
  readonly allowed: string;
}

export interface Substitution {
  readonly value: unknown;
  /** The paths, as keys, of values that came from the environment: a secret may be among them. */
  readonly replaced: ReadonlySet<string>;
  readonly faults: readonly SubstitutionFault[];
}

/** `$${` for a literal `${`, a whole reference, or the start of a broken one. */
const reference = /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g;

/** A value that is nothing but one reference with an empty default. */
const optionalReference = /^\$\{[A-Za-z_][A-Za-z0-9_]*:-\}$/;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string value, names of maps excepted. The default also serves for
 * an empty variable. A value that is just `${NAME:-}` with nothing to stand for it is null, as if left out.
 */
export function substitute(root: unknown, environment: Environment): Substitution {
  const replaced = new Set<string>();
  const faults: SubstitutionFault[] = [];

  function visit(value: unknown, path: Path): unknown {
    if (typeof value === "string") return value.includes("${") ? replaceIn(value, path) : value;
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, [...path, name])]));
  }

  function replaceIn(text: string, path: Path): string | null {
    let used = false;
    const result = text.replace(
      reference,
      (_whole, literal: string | undefined, name: string | undefined, fallback: string | undefined) => {
        if (literal !== undefined) return literal;
        if (name === undefined) {
          faults.push({
            path,
            found: "an unclosed or misnamed ${",
            allowed: "${NAME}, ${NAME:-default}, or $${ for ${",
          });
          return "";
        }
        used = true;
        const value = environment[name];
        if (value !== undefined && (value !== "" || fallback === undefined)) return value;
        if (fallback !== undefined) return fallback;
        faults.push({
          path,
          found: `the environment variable ${name}, which is not set`,
          allowed: `a variable that is set (export ${name}=...), or a default: \${${name}:-default}`,
        });
        return "";
      },
    );
    if (used) replaced.add(pathKey(path));
    return result === "" && optionalReference.test(text) ? null : result;
  }

  return { value: visit(root, []), replaced, faults };
}
