import { checkFile } from "./check-file.ts";
import type { Config, ConfigLines, Environment } from "../config.ts";
import { configFromFile } from "./from-file.ts";
import { formatPath } from "./describe.ts";
import { ConfigError, type ConfigProblem } from "../problem.ts";
import type { FieldProblem } from "./plain-data.ts";
import { substitute } from "./substitution.ts";
import type { Path } from "./path.ts";
import type { ConfigFile } from "./schema.ts";
import { readYaml, type YamlDocument } from "./yaml-document.ts";

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
    return configFromFile(checked.file, source, checked.usesSandbox, storageUrl, linesOf(checked.file, document));
  }
  throw new ConfigError(problems.sort(byPosition));
}

function linesOf({ providers, models, routes, search }: ConfigFile, document: YamlDocument): ConfigLines {
  const at = (path: Path, entries: readonly { readonly id: string }[] = []) => {
    return new Map(entries.map(({ id }, index) => [id, document.locate([...path, index])?.line ?? 1]));
  };
  return {
    providers: at(["providers"], providers),
    models: at(["models"], models),
    routes: at(["routes"], routes),
    backends: at(["search", "backends"], search.backends),
  };
}

function byPosition(one: ConfigProblem, other: ConfigProblem): number {
  const lines = (one.position?.line ?? 0) - (other.position?.line ?? 0);
  return lines === 0 ? (one.position?.column ?? 0) - (other.position?.column ?? 0) : lines;
}
