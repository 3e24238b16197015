import { join } from "node:path";
import { parseArgs } from "node:util";

export interface Options {
  /** Duration of the load. */
  readonly seconds: number;
  /** Callers, each with one request in flight. */
  readonly callers: number;
  /** Seed of random choices. Timing is not reproducible. */
  readonly seed: number;
  /** Path of the launcher of the Tollgate under test. */
  readonly launcher: string;
  /** Directory to write and keep files in; null for a temporary one. */
  readonly folder: string | null;
}

export const help = `npm run soak -- [options]

  --seconds N       duration of the load (600); the inspection takes up to two minutes more
  --callers N       callers, each with one request in flight (200)
  --seed N          seed of random choices (1)
  --tollgate FILE   launcher of the Tollgate under test (bin/tollgate)
  --keep FOLDER     directory for configuration, storage and log, which is kept
  --help            this text
`;

/** Reads the command line. Null for --help. Throws with a message for the user. */
export function parseOptions(words: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seconds: { type: "string", default: "600" },
      callers: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
      tollgate: { type: "string" },
      keep: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  return {
    seconds: wholeNumber("--seconds", values.seconds),
    callers: wholeNumber("--callers", values.callers),
    seed: wholeNumber("--seed", values.seed),
    launcher: values.tollgate ?? join(import.meta.dir, "../bin/tollgate"),
    folder: values.keep ?? null,
  };
}

function wholeNumber(option: string, word: string): number {
  const number = Number(word);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${option}: "${word}" is not a whole number above 0`);
  return number;
}
