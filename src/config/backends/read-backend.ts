import type { ConfiguredBackend } from "../../routing/names/backend-model.ts";
import { checkBackendList } from "../file/backend-checks.ts";
import { explain, withoutRepeats } from "../file/check-file.ts";
import { describeName, formatPath } from "../file/describe.ts";
import { backendFromFile } from "../file/from-file.ts";
import { type FieldProblem, fieldOf } from "../file/plain-data.ts";
import { searchBackend } from "../file/schema.ts";

/** Another backend, as far as its names go: of the configuration, or as it is stored. */
export interface OtherBackend {
  readonly id: string;
  readonly name?: unknown;
}

export interface BackendProblem {
  /** Such as `search_price`; empty for the whole backend. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

export type BackendReading =
  | { readonly backend: ConfiguredBackend }
  | { readonly problems: readonly [BackendProblem, ...BackendProblem[]] };

/** A path of the admin API has this name in the place of an id. */
const reservedId = "order";

/**
 * Reads and validates one stored backend in the format of `search.backends` in the configuration, by the same rules.
 * @param others must not share a name with it
 */
export function readBackend(value: unknown, others: readonly OtherBackend[]): BackendReading {
  const parsed = searchBackend.safeParse(value);
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => explain(issue, value, new Set()));
  const across = problemsAmong(value, others).map((problem) => ({ ...problem, atName: false }));
  const [first, ...rest] = withoutRepeats([...issues, ...across]).map(toProblem);
  if (first) return { problems: [first, ...rest] };
  // Without an issue it was parsed.
  if (!parsed.success) throw new Error("The search backend has problems that nothing describes.");
  return { backend: backendFromFile(parsed.data) };
}

function problemsAmong(value: unknown, others: readonly OtherBackend[]): FieldProblem[] {
  const place = others.length;
  const nameOf = (index: number) => `the backend ${describeName(others[index]?.id ?? "")}`;
  const problems = checkBackendList([...others, value], nameOf).filter(({ path }) => path[0] === place);
  const own = problems.map((problem) => ({ ...problem, path: problem.path.slice(1) }));
  if (fieldOf(value, "id") !== reservedId) return own;
  return [...own, { path: ["id"], found: `'${reservedId}', which is a path of the admin API`, allowed: "another id" }];
}

function toProblem({ path, found, allowed }: FieldProblem): BackendProblem {
  return { path: formatPath(path), found, allowed };
}
