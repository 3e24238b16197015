import type { z } from "zod";
import { crossCheck } from "./cross-checks.ts";
import { splitNames } from "./fields.ts";
import { describeFound, describeName } from "./found.ts";
import { nearestName } from "./nearest-name.ts";
import { type Path, pathKey, valueAt } from "./path.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** Something wrong with a value of the file, or with a name (`atName`). */
export interface FileFault {
  readonly path: Path;
  readonly atName: boolean;
  readonly found: string;
  readonly allowed: string;
}

export type CheckedFile =
  | { readonly file: ConfigFile; readonly usesSandbox: boolean }
  | { readonly faults: readonly FileFault[] };

/**
 * Checks the file's plain data as a whole. `replaced` are the paths, as keys, of values from the environment: these
 * are always text, so they are read as numbers or booleans where such are wanted, and never shown in an error.
 */
export function checkFile(plain: unknown, replaced: ReadonlySet<string>): CheckedFile {
  const first = configSchema.safeParse(plain);
  const data = first.success ? plain : withTypesWanted(plain, first.error.issues, replaced);
  const result = data === plain ? first : configSchema.safeParse(data);
  const usesSandbox = wantsSandbox(data);
  const crossFaults = crossCheck(data, usesSandbox).map((fault) => ({ ...fault, atName: false }));
  if (result.success && crossFaults.length === 0) return { file: result.data, usesSandbox };
  const issues = result.success ? [] : result.error.issues.flatMap((issue) => explain(issue, data, replaced));
  return { faults: withoutRepeats([...issues, ...crossFaults]) };
}

/** The sandbox runs where it is asked for, and where there is nothing else to serve. */
function wantsSandbox(data: unknown): boolean {
  const enabled = valueAt(data, ["sandbox", "enabled"]);
  if (typeof enabled === "boolean") return enabled;
  return (valueAt(data, ["providers"]) ?? null) === null && (valueAt(data, ["models"]) ?? null) === null;
}

/** A copy in which text from the environment is a number or boolean where one is wanted. */
function withTypesWanted(plain: unknown, issues: readonly z.core.$ZodIssue[], replaced: ReadonlySet<string>): unknown {
  let copy = plain;
  for (const issue of issues) {
    if (issue.code !== "invalid_type" || !replaced.has(pathKey(namesAndPlaces(issue.path)))) continue;
    const text = valueAt(plain, namesAndPlaces(issue.path));
    const wanted = typeof text === "string" ? readAs(issue.expected, text.trim()) : undefined;
    if (wanted === undefined) continue;
    if (copy === plain) copy = structuredClone(plain);
    const last = issue.path.at(-1);
    // The path leads to a value, so what holds the value is a map or a list.
    const holder = valueAt(copy, namesAndPlaces(issue.path.slice(0, -1))) as Record<PropertyKey, unknown>;
    if (last !== undefined) holder[last] = wanted;
  }
  return copy;
}

function readAs(type: string, text: string): number | boolean | undefined {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  return (type === "number" || type === "int") && /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

/** What the schema has to say of plain data, in words for its writer. */
export function explain(issue: z.core.$ZodIssue, data: unknown, replaced: ReadonlySet<string>): FileFault[] {
  const path = namesAndPlaces(issue.path);
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

/** A value can break several rules of one field; the field's allowed values are said once. */
export function withoutRepeats(faults: readonly FileFault[]): FileFault[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const key = `${pathKey(fault.path)}\n${fault.allowed}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function namesAndPlaces(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === "number" ? step : String(step)));
}
