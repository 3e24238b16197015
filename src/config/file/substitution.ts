import type { Environment } from "../config.ts";
import { type Path, pathKey } from "./path.ts";
import type { FieldProblem } from "./plain-data.ts";

export interface Substitution {
  readonly value: unknown;
  /** The paths, as keys, of values from the environment, which may be secret. */
  readonly replaced: ReadonlySet<string>;
  readonly problems: readonly FieldProblem[];
}

/** `$${` for a literal `${`, a complete reference, or the start of an invalid one. */
const reference = /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g;

/** A value that consists of one reference with an empty default. */
const optionalReference = /^\$\{[A-Za-z_][A-Za-z0-9_]*:-\}$/;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in all string values, but not in names. The default also replaces an empty
 * variable. A value `${NAME:-}` without a variable becomes null, which counts as absent.
 */
export function substitute(root: unknown, environment: Environment): Substitution {
  const replaced = new Set<string>();
  const problems: FieldProblem[] = [];

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
          problems.push({
            path,
            found: "an invalid ${ reference",
            allowed: "${NAME}, ${NAME:-default}, or $${ for ${",
          });
          return "";
        }
        used = true;
        const value = environment[name];
        if (value !== undefined && (value !== "" || fallback === undefined)) return value;
        if (fallback !== undefined) return fallback;
        problems.push({
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

  return { value: visit(root, []), replaced, problems };
}
