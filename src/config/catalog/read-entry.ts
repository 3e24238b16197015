import type { PricedModel } from "../../routing/names/models-of.ts";
import type { Provider } from "../../upstream/provider.ts";
import { explain, withoutRepeats } from "../file/check-file.ts";
import { crossCheck } from "../file/cross-checks.ts";
import { formatPath } from "../file/describe.ts";
import { modelFromFile, providerFromFile } from "../file/from-file.ts";
import { type FieldProblem, fieldOf, hasField } from "../file/plain-data.ts";
import { model as modelSchema, provider as providerSchema } from "../file/schema.ts";

export interface EntryProblem {
  /** Such as `targets[0].provider`; empty for the whole entry. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

type Problems = { readonly problems: readonly [EntryProblem, ...EntryProblem[]] };

export type ProviderReading = { readonly provider: Provider } | Problems;
export type ModelReading = { readonly model: PricedModel } | Problems;

/** The names that a model may refer to, and must not take. */
export interface KnownToModels {
  readonly providerIds: readonly string[];
  /** Whether there is the policy `auto`. */
  readonly auto: boolean;
}

/**
 * Reads one stored provider in the format of `providers` in the configuration, by the same rules.
 * @param publicUrl the address of the gateway, for webhooks; null if it is not known
 */
export function readProvider(value: unknown, publicUrl: string | null): ProviderReading {
  // Before anything is read of it: whether a file is there would be told by what is wrong with it.
  if (hasField(value, "tls")) return { problems: [localFile] };
  const parsed = providerSchema.safeParse(value);
  const across = problemsOf("providers", { providers: [value] });
  const problems = allProblems(parsed.error?.issues ?? [], value, across);
  if (problems) return { problems };
  if (!parsed.success) throw new Error("The provider has problems that nothing describes.");
  return { provider: providerFromFile(parsed.data, publicUrl) };
}

/** Reads one stored model in the format of `models` in the configuration, by the same rules. */
export function readModel(value: unknown, { providerIds, auto }: KnownToModels): ModelReading {
  const parsed = modelSchema.safeParse(value);
  const file = { auto, providers: providerIds.map((id) => ({ id })), models: [value] };
  const across = problemsOf("models", file);
  const problems = allProblems(parsed.error?.issues ?? [], value, [...across, ...reservedId(value)]);
  if (problems) return { problems };
  if (!parsed.success) throw new Error("The model has problems that nothing describes.");
  return { model: modelFromFile(parsed.data) };
}

/** The rules across fields, as a file with this one entry violates them. Paths begin at the entry. */
function problemsOf(list: "providers" | "models", file: object): FieldProblem[] {
  return crossCheck(file, false).flatMap((problem) => {
    // Other lists stand there for their ids alone.
    return problem.path[0] === list ? [{ ...problem, path: problem.path.slice(2) }] : [];
  });
}

/** Over the network a provider cannot have the gateway read files of its machine. */
const localFile: EntryProblem = {
  path: "tls",
  found: "a value",
  allowed: "nothing here: certificates are files of the gateway's machine, which only the configuration file names",
};

/** A path of the admin API ends with this. */
const reservedEnd = /(^|\/)test$/;

function reservedId(value: unknown): FieldProblem[] {
  const id = fieldOf(value, "id");
  if (typeof id !== "string" || !reservedEnd.test(id)) return [];
  return [{ path: ["id"], found: "a name that ends as a path of the admin API does (test)", allowed: "another id" }];
}

function allProblems(
  issues: Parameters<typeof explain>[0][],
  value: unknown,
  across: readonly FieldProblem[],
): readonly [EntryProblem, ...EntryProblem[]] | null {
  const explained = issues.flatMap((issue) => explain(issue, value, new Set()));
  const all = withoutRepeats([...explained, ...across.map((problem) => ({ ...problem, atName: false }))]);
  const [first, ...rest] = all.map(({ path, found, allowed }) => ({ path: formatPath(path), found, allowed }));
  return first ? [first, ...rest] : null;
}
