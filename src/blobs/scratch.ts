import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type ScratchFile, pieceBytes } from "./content.ts";
import { nextTurn } from "../next-turn.ts";
import { errorCode, onDisk } from "./disk-errors.ts";

/** Makes files for what is too large for memory, in a folder of this process. */
export interface Scratch {
  create(): Promise<ScratchFile>;
  /** Removes the folder. */
  close(): Promise<void>;
}

/** Folders that this process uses. */
const inUse = new Set<string>();

/**
 * Opens a scratch folder within `parent`, which several processes may share. Folders that processes of this machine have left
 * behind are removed first. Nothing is made on the disk before there is a file to write.
 */
export async function openScratch(parent: string): Promise<Scratch> {
  const prefix = `${hostname().replace(/[^\w.]/g, "_")}-`;
  await removeLeftovers(parent, prefix);
  const name = `${prefix}${process.pid}-${randomName()}`;
  const folder = join(parent, name);
  inUse.add(name);
  return {
    async create() {
      return onDisk(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const path = join(folder, randomName());
        const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
        return new OpenScratchFile(handle, path);
      });
    },
    async close() {
      inUse.delete(name);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the folders of processes that run no longer. */
async function removeLeftovers(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix) || inUse.has(name)) continue;
    const pid = Number(name.slice(prefix.length).split("-", 1)[0]);
    if (pid !== process.pid && isRunning(pid)) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
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
