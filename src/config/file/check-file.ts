import type { z } from "zod";
import { crossCheck } from "./cross-checks.ts";
import { splitNames } from "./fields.ts";
import { describeFound, describeName } from "./describe.ts";
import { nearestName } from "../../nearest-name.ts";
import { type Path, pathKey, valueAt } from "./path.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** A problem of a value in the file, or of a name (`atName`). */
export interface FileProblem {
  readonly path: Path;
  readonly atName: boolean;
  readonly found: string;
  readonly allowed: string;
  readonly sentence?: string;
}

export type CheckedFile =
  | { readonly file: ConfigFile; readonly usesSandbox: boolean }
  | { readonly problems: readonly FileProblem[] };

/** To compile a schema takes longer than to read one file by it as it is. */
const once = { jitless: true };

/**
 * Validates the plain data of a file. `replaced` has the paths, as keys, of values from the environment: they are text,
 * so they are converted to numbers and booleans if the schema expects these, and they are never shown in a problem.
 */
export function checkFile(plain: unknown, replaced: ReadonlySet<string>): CheckedFile {
  const first = configSchema.safeParse(plain, once);
  const data = first.success ? plain : withExpectedTypes(plain, first.error.issues, replaced);
  const result = data === plain ? first : configSchema.safeParse(data, once);
  const usesSandbox = wantsSandbox(data);
  const crossProblems = crossCheck(data, usesSandbox).map(({ path, found, allowed, sentence }) => {
    if (replaced.has(pathKey(path))) return { path, allowed, atName: false, found: "a value from the environment" };
    return { path, allowed, atName: false, found, ...(sentence === undefined ? {} : { sentence }) };
  });
  if (result.success && crossProblems.length === 0) return { file: result.data, usesSandbox };
  const issues = result.success ? [] : result.error.issues.flatMap((issue) => explain(issue, data, replaced));
  return { problems: withoutRepeats([...issues, ...crossProblems]) };
}

/** The sandbox runs if it is enabled, or by default if there are no providers and models. */
function wantsSandbox(data: unknown): boolean {
  const enabled = valueAt(data, ["sandbox", "enabled"]);
  if (typeof enabled === "boolean") return enabled;
  return (valueAt(data, ["providers"]) ?? null) === null && (valueAt(data, ["models"]) ?? null) === null;
}

/** Copies the data with text from the environment converted to the expected types. */
function withExpectedTypes(
  plain: unknown,
  issues: readonly z.core.$ZodIssue[],
  replaced: ReadonlySet<string>,
): unknown {
  let copy = plain;
  for (const issue of issues) {
    if (issue.code !== "invalid_type" || !replaced.has(pathKey(asPath(issue.path)))) continue;
    const text = valueAt(plain, asPath(issue.path));
    const converted = typeof text === "string" ? readAs(issue.expected, text.trim()) : undefined;
    if (converted === undefined) continue;
    if (copy === plain) copy = structuredClone(plain);
    const last = issue.path.at(-1);
    // The value exists, so its parent is a map or a list.
    const parent = valueAt(copy, asPath(issue.path.slice(0, -1))) as Record<PropertyKey, unknown>;
    if (last !== undefined) parent[last] = converted;
  }
  return copy;
}

function readAs(type: string, text: string): number | boolean | undefined {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  return (type === "number" || type === "int") && /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

/** Converts an issue of the schema to problems. */
export function explain(issue: z.core.$ZodIssue, data: unknown, replaced: ReadonlySet<string>): FileProblem[] {
  const path = asPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = splitNames(issue.message);
    return issue.keys.map((key) => {
      const nearest = nearestName(key, known);
      const hint = nearest === null ? "" : ` (did you mean "${nearest}"?)`;
      return {
        path: [...path, key],
        atName: true,
        found: `an unknown name ${describeName(key)}${hint}`,
        allowed: issue.message,
      };
    });
  }
  if (issue.code === "invalid_key") {
    const allowed = issue.issues[0]?.message ?? issue.message;
    return [{ path, atName: true, found: `a name ${describeName(String(path.at(-1)))}`, allowed }];
  }
  return [{ path, atName: false, found: describeFound(valueAt(data, path), path, replaced), allowed: issue.message }];
}

/** Removes repetitions: a value can violate several rules of one field, which have the same message. */
export function withoutRepeats(problems: readonly FileProblem[]): FileProblem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = `${pathKey(problem.path)}\n${problem.allowed}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function asPath(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === "number" ? step : String(step)));
}
