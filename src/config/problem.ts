/** Where in a file something stands. Both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with a configuration. Never holds a secret's value. */
export interface ConfigProblem {
  /** The file as it was named, or the environment variable. */
  readonly source: string;
  /** Null where no place in the file is at fault. */
  readonly position: Position | null;
  /** Such as `providers[0].timeouts.connect_ms`; empty where the whole is meant. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

/** A message has this many problems at most; all of them are in `problems`. */
const mostShown = 200;

/** A configuration that cannot be used, with everything that is wrong with it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? "1 error" : `${problems.length} errors`;
    const shown = problems.slice(0, mostShown).map((problem) => `  ${formatProblem(problem)}`);
    const more = problems.length > mostShown ? [`  ... and ${problems.length - mostShown} more`] : [];
    super([`The configuration has ${count}:`, ...shown, ...more].join("\n"));
    this.problems = problems;
  }
}

/** One line: `tollgate.yaml:3:9: server.port: found 99999; allowed: a whole number from 0 to 65535`. */
export function formatProblem(problem: ConfigProblem): string {
  const { source, position, path, found, allowed } = problem;
  const place = position === null ? source : `${source}:${position.line}:${position.column}`;
  return `${place}: ${path === "" ? "" : `${path}: `}found ${found}; allowed: ${allowed}`;
}
