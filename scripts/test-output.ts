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

/** Finds the files, as `bun test` names them, that had a failed test or could not be loaded. */
export function filesWithFailures(output: string): string[] {
  const files = new Set<string>();
  let file: string | undefined;
  for (const line of output.split("\n")) {
    const heading = /^(\S+\.test\.ts):$/.exec(line)?.[1];
    if (heading !== undefined) file = heading;
    // The failures are listed again at the end, without their files.
    else if (/^\d+ tests? failed:$/.test(line)) break;
    else if (/^\(fail\) |^# Unhandled error/.test(line) && file !== undefined) files.add(file);
  }
  return [...files];
}
