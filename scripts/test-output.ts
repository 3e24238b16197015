/** How many tests passed, failed and were skipped. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Parses the summary of `bun test`. */
export function countTests(output: string): Tally {
  const count = (word: string) => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}\\b`, "m"))?.[1] ?? 0);
  return { passed: count("pass"), failed: count("fail"), skipped: count("skip") };
}

/** A failed test, or a file that could not be loaded. */
export interface Failure {
  /** The file as `bun test` names it. */
  readonly file: string;
  /** The line that names the test, after what was printed since the test before it. */
  readonly text: string;
}

/** The most lines of one failure: its error and the start of its stack. */
const maxLines = 40;

/** Finds the failed tests, and the files that could not be loaded, with the errors that `bun test` printed for them. */
export function failures(output: string): Failure[] {
  const found: Failure[] = [];
  let file: string | undefined;
  let lines: string[] = [];
  let rules = 0;
  for (const line of output.split("\n")) {
    const heading = /^(\S+\.test\.ts):$/.exec(line)?.[1];
    // The failures are listed again at the end, without their files.
    if (/^\d+ tests? failed:$/.test(line)) break;
    // An error outside a test is printed between two rules.
    rules = line.startsWith("# Unhandled error") ? 2 : line.startsWith("-----") ? rules - 1 : rules;
    const failed = line.startsWith("(fail) ") || (rules === 0 && line.startsWith("-----"));
    if (heading === undefined) lines.push(line);
    else file = heading;
    if (failed && file !== undefined) found.push({ file, text: lines.slice(-maxLines).join("\n").trim() });
    if (failed || heading !== undefined || /^\((pass|skip|todo)\) /.test(line)) lines = [];
  }
  return found;
}
