import { openSync, readSync, closeSync, statSync } from "node:fs";

/** The work of the engine's garbage collector, in milliseconds. */
export interface Garbage {
  readonly collections: number;
  /** For which nothing else ran on the main thread. */
  readonly pauses: number;
  readonly milliseconds: number;
  readonly longest: number;
}

/** Makes the engine write a few lines for each collection into the process's error output. */
export const garbageEnvironment = { BUN_JSC_logGC: "1" } as const;

/** Reads the engine's lines: each pause is told as `p=0.56ms`, each whole collection as `cycle 2.2ms`. */
export function readGarbage(log: string): Garbage {
  const pauses = [...log.matchAll(/\bp=([\d.]+)ms/g)].map(([, text]) => Number(text));
  return {
    collections: [...log.matchAll(/\bcycle [\d.]+ms/g)].length,
    pauses: pauses.length,
    milliseconds: pauses.reduce((sum, pause) => sum + pause, 0),
    longest: Math.max(0, ...pauses),
  };
}

/** The text that a file gained since it had `from` bytes. */
export function textSince(file: string, from: number): string {
  const size = statSync(file).size - from;
  const bytes = Buffer.alloc(Math.max(0, size));
  const descriptor = openSync(file, "r");
  try {
    return bytes.toString("latin1", 0, readSync(descriptor, bytes, 0, bytes.length, from));
  } finally {
    closeSync(descriptor);
  }
}
