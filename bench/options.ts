import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Peer, readPeers } from "./contenders/peer.ts";

export const sections = [
  "json",
  "streams",
  "burst",
  "latency",
  "memory",
  "translation",
  "search",
  "routing",
  "loop",
  "attacks",
  "start",
] as const;
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
  /** Path of the launcher of a second Tollgate, measured beside it; null if there is none. */
  readonly before: string | null;
  readonly peers: readonly Peer[];
  /** The upstream's port, so that peers can be configured; null takes a free one. */
  readonly upstreamPort: number | null;
}

export const help = `npm run bench -- [options]

  --only SECTIONS      some of: ${sections.join(", ")} (separated by commas)
  --rounds N           rounds in which the contenders take turns (3)
  --seconds N          whole seconds of each measured load (5)
  --quick              a smoke run of about half a minute; its figures mean nothing
  --json FILE          also write every figure, round by round, to a file
  --tollgate FILE      launcher of the Tollgate that is measured (bin/tollgate)
  --before FILE        launcher of another checkout's Tollgate, measured beside it in the same run
  --peer NAME=URL[,key=KEY][,model=MODEL][,pid=PID]
                       another gateway that runs on this machine, measured beside them; may be repeated
  --upstream-port N    where the upstream listens, so that peers can be configured (a free port)
  --help               this text
`;

/** Reads the command line. Null if help is asked for. Throws with a message for the user. */
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
      before: { type: "string" },
      peer: { type: "string", multiple: true, default: [] },
      "upstream-port": { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const upstreamPort = values["upstream-port"];
  return {
    rounds: wholeNumber("--rounds", values.rounds, values.quick ? 1 : 3),
    seconds: wholeNumber("--seconds", values.seconds, values.quick ? 1 : 5),
    quick: values.quick,
    only: new Set(values.only === undefined ? sections : values.only.split(",").map(toSection)),
    jsonFile: values.json ?? null,
    launcher: launcher("--tollgate", values.tollgate) ?? join(import.meta.dir, "../bin/tollgate"),
    before: launcher("--before", values.before),
    peers: readPeers(values.peer),
    upstreamPort: upstreamPort === undefined ? null : port("--upstream-port", upstreamPort),
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

function port(option: string, word: string): number {
  const number = wholeNumber(option, word, 0);
  if (number > 65_535) throw new Error(`${option}: "${word}" is not a port`);
  return number;
}

function launcher(option: string, file: string | undefined): string | null {
  if (file === undefined) return null;
  if (!existsSync(file)) throw new Error(`${option}: there is no file "${file}"`);
  return file;
}
