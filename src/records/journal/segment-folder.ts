import { accessSync, constants, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "./file-lock.ts";

/** The part of the journal's folder that one process writes to: it holds a lock for as long as it lives. */
export interface SegmentOwner {
  /** The path of the owner's next segment. Paths sort in the order in which they were given. */
  nextPath(): string;
  /** Whether the lock's file is still there. */
  isGone(): boolean;
  release(): void;
}

/** The segments of a process that no longer lives, now this one's. */
export interface LeftSegments {
  /** Oldest first. */
  readonly paths: readonly string[];
  release(): void;
}

const name = /^(records-[0-9a-f-]{36})(?:-\d+\.jsonl|\.lock)$/;

/** Takes a name that no other process uses. Throws if the folder cannot be written to. */
export function createOwner(folder: string): SegmentOwner {
  for (;;) {
    const owner = `records-${Bun.randomUUIDv7()}`;
    const lockPath = join(folder, `${owner}.lock`);
    const lock = tryLock(lockPath);
    // Another process that is tidying up may have taken the new lock for a left one.
    if (lock === null) continue;
    let last = 0;
    return {
      nextPath: () => join(folder, `${owner}-${String((last += 1)).padStart(9, "0")}.jsonl`),
      isGone: () => !existsSync(lockPath),
      release: () => lock.release(),
    };
  }
}

/** Takes over what processes that no longer live left in the folder, oldest first, and removes locks without segments. */
export function adoptLeft(folder: string): LeftSegments[] {
  const segments = new Map<string, string[]>();
  for (const file of readdirSync(folder)) {
    const owner = name.exec(file)?.[1];
    if (owner === undefined) continue;
    const paths = segments.get(owner) ?? [];
    segments.set(owner, paths);
    if (file.endsWith(".jsonl")) paths.push(join(folder, file));
  }
  const left: LeftSegments[] = [];
  for (const owner of [...segments.keys()].sort()) {
    const lock = tryLock(join(folder, `${owner}.lock`));
    if (lock === null) continue;
    const paths = (segments.get(owner) ?? []).filter((path) => existsSync(path)).sort();
    if (paths.length === 0) lock.release();
    else left.push({ paths, release: () => lock.release() });
  }
  return left;
}

/** Makes the folder. Throws an error that names it if it cannot be used. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The journal's folder "${folder}" cannot be used: ${reason}`, { cause: error });
  }
}
