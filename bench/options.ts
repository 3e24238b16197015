import { parseArgs } from "node:util";
import { join } from "node:path";

export const sections = ["json", "streams", "latency", "memory", "translation", "routing", "start"] as const;
export type Section = (typeof sections)[number];

export interface Options {
  readonly rounds: number;
  /** Of each measured load. */
  readonly seconds: number;
  readonly quick: boolean;
  readonly only: ReadonlySet<Section>;
  readonly jsonFile: string | null;
  /** Path of the launcher of the Tollgate that is measured. */
  readonly launcher: string;
}

export const help = `npm run bench -- [options]

  --only SECTIONS   some of: ${sections.join(", ")} (separated by commas)
  --rounds N        rounds in which the contenders take turns (3)
  --seconds N       whole seconds of each measured load (5)
  --quick           a smoke run of a few seconds; its figures mean nothing
  --json FILE       also write every figure, round by round, to a file
  --tollgate FILE   launcher of another Tollgate, to compare two checkouts (bin/tollgate)
  --help            this text
`;

/** Reads the command line. Null where help is asked for. Throws with a message for the user. */
export function parseOptions(words: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      tollgate: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  return {
    rounds: wholeNumber("--rounds", values.rounds, values.quick ? 1 : 3),
    seconds: wholeNumber("--seconds", values.seconds, values.quick ? 1 : 5),
    quick: values.quick,
    only: new Set(values.only === undefined ? sections : values.only.split(",").map(toSection)),
    jsonFile: values.json ?? null,
    launcher: values.tollgate ?? join(import.meta.dir, "../bin/tollgate"),
  };
}

function toSection(word: string): Section {
  const section = sections.find((name) => name === word.trim());
  if (section === undefined) throw new Error(`--only: "${word}" is not one of ${sections.join(", ")}`);
  return section;
}

function wholeNumber(option: string, word: string | undefined, otherwise: number): number {
  if (word === undefined) return otherwise;
  const number = Number(word);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${option}: "${word}" is not a whole number above 0`);
  return number;
}
