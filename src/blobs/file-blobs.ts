import { mkdir, open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BlobStore, isBlobKey } from "./blob-store.ts";
import type { Content, ScratchFile } from "./content.ts";
import { errorCode, onDisk } from "./disk-errors.ts";
import { readPieces, type Scratch } from "./scratch.ts";

/**
 * Blobs as files in a folder, by the first two digits of their keys: `3f/3f2a...`. A blob is written under another name, synced
 * and renamed, and then its folder is synced.
 * @param scratch on the same file system
 */
export function createFileBlobs(folder: string, scratch: Scratch): BlobStore {
  const pathOf = (key: string): string => {
    if (!isBlobKey(key)) throw new Error("This is not the key of a blob.");
    return join(folder, key.slice(0, 2), key);
  };
  return {
    put: (key, content) =>
      onDisk(async () => {
        const path = pathOf(key);
        const parent = dirname(path);
        const made = await mkdir(parent, { recursive: true, mode: 0o700 });
        const { scratchFile } = content;
        if (scratchFile === null || !(await move(scratchFile, path))) await putCopy(content, path, scratch);
        await syncFolder(parent);
        if (made !== undefined) await syncFolder(folder);
      }),
    async size(key) {
      try {
        return (await stat(pathOf(key))).size;
      } catch (error) {
        if (errorCode(error) === "ENOENT") return null;
        throw error;
      }
    },
    read(key, start, end, buffer) {
      const path = pathOf(key);
      return { [Symbol.asyncIterator]: () => readBlob(path, start, end, buffer) };
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  };
}

/** Moves a file. False if it has been moved before. */
async function move(file: ScratchFile, path: string): Promise<boolean> {
  try {
    await file.moveTo(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function putCopy(content: Content, path: string, scratch: Scratch): Promise<void> {
  const file: ScratchFile = await scratch.create();
  try {
    for await (const piece of content.stream()) await file.append(piece);
    await file.moveTo(path);
  } finally {
    await file.dispose();
  }
}

/** Makes the names in a folder durable. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* readBlob(path: string, start: number, end: number, buffer?: Buffer): AsyncGenerator<Uint8Array> {
  const handle = await open(path, "r");
  try {
    yield* readPieces(handle, start, end, buffer);
  } finally {
    await handle.close();
  }
}
