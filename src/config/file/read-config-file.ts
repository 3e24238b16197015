import { checkFile } from "./check-file.ts";
import type { Config, Environment } from "../config.ts";
import { configFromFile } from "./from-file.ts";
import { formatPath } from "./describe.ts";
import { ConfigError, type ConfigProblem } from "../problem.ts";
import type { FieldProblem } from "./plain-data.ts";
import { substitute } from "./substitution.ts";
import { readYaml } from "./yaml-document.ts";

/**
 * Reads the configuration from the text of a file. `source` is the name of the file; `storageUrl` overrides that of the
 * file. Throws a `ConfigError` with all problems, including `earlier`.
 */
export function readConfigText(
  text: string,
  source: string,
  environment: Environment,
  storageUrl: string | null,
  earlier: readonly ConfigProblem[] = [],
): Config {
  const document = readYaml(text);
  const problems: ConfigProblem[] = [
    ...earlier,
    ...document.problems.map(({ position, path, found, allowed }) => ({
      source,
      position,
      path: formatPath(path),
      found,
      allowed,
    })),
  ];
  const at = (problem: FieldProblem & { readonly atName?: boolean }) => ({
    source,
    position: problem.atName === true ? document.locateName(problem.path) : document.locate(problem.path),
    path: formatPath(problem.path),
    found: problem.found,
    allowed: problem.allowed,
    sentence: problem.sentence,
  });

  const { value, replaced, problems: unresolved } = substitute(document.value ?? {}, environment);
  problems.push(...unresolved.map(at));
  const checked = checkFile(value, replaced);
  if ("problems" in checked) {
    // Values that could not be parsed or replaced have been reported already.
    const reported = new Set(problems.map((problem) => problem.path));
    problems.push(...checked.problems.map(at).filter((problem) => problem.path === "" || !reported.has(problem.path)));
  } else if (problems.length === 0) {
    return configFromFile(checked.file, source, checked.usesSandbox, storageUrl);
  }
  throw new ConfigError(problems.sort(byPosition));
}

function byPosition(one: ConfigProblem, other: ConfigProblem): number {
  const lines = (one.position?.line ?? 0) - (other.position?.line ?? 0);
  return lines === 0 ? (one.position?.column ?? 0) - (other.position?.column ?? 0) : lines;
}
