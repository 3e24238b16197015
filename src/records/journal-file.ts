import { closeSync, existsSync, ftruncateSync, openSync, readdirSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, tryLock } from "./file-lock.ts";

/** One file of the journal: JSON lines, written at its end only. */
export interface JournalFile {
  /** Bytes written, whole lines only. */
  readonly size: number;
  /** Appends text in whole lines and says where it begins. Throws where not all of it could be written. */
  append(text: Uint8Array): number;
  read(offset: number, length: number): string;
  /** Removes the file. */
  remove(): void;
  /** Leaves the file for the next start. */
  close(): void;
}

const suffix = ".jsonl";
const lockSuffix = ".lock";

/** Makes a new file with a name that no other process uses. */
export function createJournalFile(folder: string): JournalFile {
  for (;;) {
    const name = `records-${Bun.randomUUIDv7()}`;
    const lock = tryLock(join(folder, name + lockSuffix));
    // Another process that is tidying up may have taken the new lock for a left one.
    if (lock !== null) return openFile(join(folder, name + suffix), "ax+", lock);
  }
}

/** Removes the locks of processes that were killed just before they made a file, or just after they removed it. */
export function removeLeftLocks(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith("records-") || !name.endsWith(lockSuffix)) continue;
    if (existsSync(join(folder, name.slice(0, -lockSuffix.length) + suffix))) continue;
    tryLock(join(folder, name))?.release();
  }
}

/** Takes over the file `name` of a process that no longer lives; null where it lives, or another was quicker. */
export function adoptJournalFile(folder: string, name: string): JournalFile | null {
  const path = join(folder, name);
  const lock = tryLock(join(folder, name.slice(0, -suffix.length) + lockSuffix));
  if (lock === null) return null;
  if (existsSync(path)) return openFile(path, "a+", lock);
  lock.release();
  return null;
}

/** Whether a file in the folder is one of the journal's. */
export function isJournalFile(name: string): boolean {
  return name.startsWith("records-") && name.endsWith(suffix);
}

function openFile(path: string, flags: string, lock: FileLock): JournalFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags, 0o600);
  } catch (error) {
    lock.release();
    throw error;
  }
  let size = Bun.file(path).size;
  return {
    get size() {
      return size;
    },
    append(text) {
      const start = size;
      try {
        let written = 0;
        while (written < text.length) written += writeSync(descriptor, text, written);
      } catch (error) {
        // A full disk may have taken a part: a later line must not begin behind it.
        ftruncateSync(descriptor, start);
        throw error;
      }
      size += text.length;
      return start;
    },
    read(offset, length) {
      const bytes = Buffer.alloc(length);
      const count = readSync(descriptor, bytes, 0, length, offset);
      return bytes.toString("utf8", 0, count);
    },
    remove() {
      // The file before its lock: whoever gets the lock next must find no file.
      rmSync(path, { force: true });
      closeSync(descriptor);
      lock.release();
    },
    close() {
      closeSync(descriptor);
      lock.release();
    },
  };
}
