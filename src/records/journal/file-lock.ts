import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { removeIfThere } from "./remove-if-there.ts";

/** A lock that the operating system gives up when its process ends, however it ends. */
export interface FileLock {
  /** Gives the lock up and removes its file. */
  release(): void;
}

/**
 * Takes the lock on `path`, null if another process (or another part of this one) holds it. SQLite's own file lock
 * serves: it is at hand on every system, and unlike a process number it holds between containers that share a folder.
 */
export function tryLock(path: string): FileLock | null {
  const database = new Database(path, { readwrite: true, create: true });
  try {
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("begin exclusive");
    // The holder until now may have removed the file: then this is a lock on nothing.
    if (!existsSync(path)) {
      database.close();
      return null;
    }
  } catch (error) {
    database.close();
    if (error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
  return {
    release() {
      removeIfThere(path);
      database.close();
    },
  };
}
