import { constants } from "node:fs";
import { exists, type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type ScratchFile, pieceBytes } from "./content.ts";
import { nextTurn } from "../next-turn.ts";
import { type FileLock, tryLock } from "../records/journal/file-lock.ts";
import { onDisk } from "./disk-errors.ts";

/** Makes files for what is too large for memory, in a folder of this process. */
export interface Scratch {
  create(): Promise<ScratchFile>;
  /** Removes the folder. */
  close(): Promise<void>;
}

/** Within a scratch folder: held by its process for as long as that lives, in whichever container. */
const lockName = "lock";

/** A folder without a lock is one that a process just makes, or that was killed while it did: its age tells, in milliseconds. */
const maxAgeWithoutLock = 24 * 3_600_000;

/**
 * Opens a scratch folder within `parent`, which several processes may share. Folders that others have left behind are removed
 * first. Nothing is made on the disk before there is a file to write.
 */
export async function openScratch(parent: string): Promise<Scratch> {
  await removeLeftovers(parent);
  let making: Promise<LockedFolder> | null = null;
  const own = () => (making ??= makeFolder(parent));
  return {
    async create() {
      return onDisk(async () => {
        const { path: folder } = await own().catch((error: unknown) => {
          making = null;
          throw error;
        });
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const path = join(folder, randomName());
        const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
        return new OpenScratchFile(handle, path);
      });
    },
    async close() {
      const made = await making?.catch(() => null);
      making = null;
      if (made) await removeFolder(made);
    },
  };
}

interface LockedFolder {
  readonly path: string;
  readonly lock: FileLock;
}

async function makeFolder(parent: string): Promise<LockedFolder> {
  for (;;) {
    const path = join(parent, randomName());
    await mkdir(path, { recursive: true, mode: 0o700 });
    const lock = tryLock(join(path, lockName));
    // Another process that is tidying up may have taken the new folder for a left one.
    if (lock !== null) return { path, lock };
  }
}

async function removeFolder({ path, lock }: LockedFolder): Promise<void> {
  await rm(path, { recursive: true, force: true });
  lock.release();
}

/** Removes the folders of processes that run no longer. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name);
    if (await exists(join(path, lockName))) {
      const lock = tryLock(join(path, lockName));
      if (lock !== null) await removeFolder({ path, lock });
    } else if (await isOld(path)) await rm(path, { recursive: true, force: true });
  }
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && found.mtimeMs < Date.now() - maxAgeWithoutLock;
}

function randomName(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex");
}

class OpenScratchFile implements ScratchFile {
  readonly #handle: FileHandle;
  readonly #path: string;
  #size = 0;
  #isMoved = false;
  #isDisposed = false;

  constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  append(bytes: Uint8Array): Promise<void> {
    return onDisk(async () => {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#size);
        at += bytesWritten;
        this.#size += bytesWritten;
      }
    });
  }

  read(start: number, end: number): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => readPieces(this.#handle, start, end) };
  }

  pass(start: number, end: number): AsyncIterable<Uint8Array> {
    const buffer = () => Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - start));
    return { [Symbol.asyncIterator]: () => readPieces(this.#handle, start, end, buffer()) };
  }

  moveTo(path: string): Promise<void> {
    return onDisk(async () => {
      await this.#handle.sync();
      await rename(this.#path, path);
      this.#isMoved = true;
    });
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    if (!this.#isMoved) await unlink(this.#path).catch(() => undefined);
    await this.#handle.close().catch(() => undefined);
  }
}

/**
 * The bytes of a file from `start` up to `end`. Throws if it is shorter.
 * @param buffer for every piece, which is then good until the next one; if not given, each has its own
 */
export async function* readPieces(
  handle: FileHandle,
  start: number,
  end: number,
  buffer?: Uint8Array,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const piece = buffer ?? Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - at));
    const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, end - at), at);
    if (bytesRead === 0) throw new Error("A file of the gateway is shorter than it was when it was written.");
    at += bytesRead;
    // Files are read faster than the event loop turns: many readers together would keep everyone else waiting.
    if (end - start >= pieceBytes) await nextTurn();
    yield piece.subarray(0, bytesRead);
  }
}
