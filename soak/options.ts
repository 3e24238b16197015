import { join } from "node:path";
import { parseArgs } from "node:util";

export interface Options {
  /** How long there is load. */
  readonly seconds: number;
  /** Callers, each with one request under way at any time. */
  readonly callers: number;
  /** Random choices are the same in every run with the same seed; their timing is not. */
  readonly seed: number;
  /** Path of the launcher of the Tollgate under test. */
  readonly launcher: string;
  /** The folder for files that stay; null for a scratch folder that is removed after the run. */
  readonly folder: string | null;
}

export const help = `npm run soak -- [options]

  --seconds N       how long there is load (600); looking after it takes up to two minutes more
  --callers N       callers, each with one request under way (200)
  --seed N          seed of all random choices (1)
  --tollgate FILE   launcher of another Tollgate (bin/tollgate)
  --keep FOLDER     write configuration, storage and log there, and leave them
  --help            this text
`;

/** Reads the command line. Null if help is asked for. Throws with a message for the user. */
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
