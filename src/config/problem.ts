/** A position in a file. Both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One problem of a configuration. Never contains a secret. */
export interface ConfigProblem {
  /** The name of the file or environment variable. */
  readonly source: string;
  /** Null if the problem has no position. */
  readonly position: Position | null;
  /** Such as `providers[0].timeouts.connect_ms`; empty for the whole configuration. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
  /** The problem as a sentence, if it adds to the value found and the values allowed. */
  readonly sentence?: string | undefined;
}

/** Maximum number of problems in the message; `problems` has all. */
const maxShown = 200;

/** An invalid configuration, with all of its problems. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    const shown = problems.slice(0, maxShown).map((problem) => `  ${formatProblem(problem)}`);
    const more = problems.length > maxShown ? [`  ... and ${problems.length - maxShown} more`] : [];
    super([`The configuration has ${count}:`, ...shown, ...more].join("\n"));
    this.problems = problems;
  }
}

/** Formats a problem as one line: `tollgate.yaml:3:9: server.port: found 99999; allowed: a whole number from 0 to 65535`. */
export function formatProblem(problem: ConfigProblem): string {
  const { source, position, path, found, allowed, sentence } = problem;
  const place = position === null ? source : `${source}:${position.line}:${position.column}`;
  return `${place}: ${path === "" ? "" : `${path}: `}${sentence ?? `found ${found}; allowed: ${allowed}`}`;
}
