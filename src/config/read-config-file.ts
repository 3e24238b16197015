import { checkFile } from "./check-file.ts";
import type { Config, Environment } from "./config.ts";
import { configFromFile } from "./from-file.ts";
import { formatPath } from "./path.ts";
import { ConfigError, type ConfigProblem } from "./problem.ts";
import { substitute } from "./substitution.ts";
import { readYaml } from "./yaml-document.ts";

/**
 * The configuration that the text of a file says. `source` is the file's name, for errors; `storageUrl` overrides the
 * file's own. Throws a `ConfigError` that holds every problem, those given included.
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
    ...document.faults.map(({ position, path, found, allowed }) => ({
      source,
      position,
      path: formatPath(path),
      found,
      allowed,
    })),
  ];
  const at = (fault: { path: readonly (string | number)[]; atName?: boolean; found: string; allowed: string }) => ({
    source,
    position: fault.atName === true ? document.locateName(fault.path) : document.locate(fault.path),
    path: formatPath(fault.path),
    found: fault.found,
    allowed: fault.allowed,
  });

  const { value, replaced, faults } = substitute(document.value ?? {}, environment);
  problems.push(...faults.map(at));
  const checked = checkFile(value, replaced);
  if ("faults" in checked) {
    // A value that could not be replaced or read has been told of already.
    const told = new Set(problems.map((problem) => problem.path));
    problems.push(...checked.faults.map(at).filter((problem) => problem.path === "" || !told.has(problem.path)));
  } else if (problems.length === 0) {
    return configFromFile(checked.file, source, checked.usesSandbox, storageUrl);
  }
  throw new ConfigError(problems.sort(byPlace));
}

function byPlace(one: ConfigProblem, other: ConfigProblem): number {
  const lines = (one.position?.line ?? 0) - (other.position?.line ?? 0);
  return lines === 0 ? (one.position?.column ?? 0) - (other.position?.column ?? 0) : lines;
}
