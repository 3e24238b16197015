import { pieceBytes, type ScratchFile } from "../blobs/content.ts";
import type { Scratch } from "../blobs/scratch.ts";
import { ownBytes } from "../http/own-bytes.ts";
import { sniffContentType, sniffedBytes } from "../http/sniff-content-type.ts";
import { BlockQueue } from "./block-queue.ts";
import type { FormFile } from "./form.ts";

/** What `bytes` reads at most. */
const maxWholeBytes = 64 << 20;

/** What a writer tells of itself. */
export interface FileWriterHost {
  readonly scratch: Scratch;
  /** So many bytes more are held in memory, or fewer. Returns whether they are too many to stay there. */
  onHeld(change: number): boolean;
  /** The file cannot be written. */
  onFailure(error: unknown): void;
}

/** Takes the bytes of one file as they come, and writes them to a scratch file once they are many. */
export class FileWriter {
  readonly #host: FileWriterHost;
  readonly #hash = new Bun.CryptoHasher("sha256");
  /** What is in memory, as long as the file stays there. */
  #pieces: Uint8Array[] = [];
  /** What is still to be written; null as long as the file stays in memory. */
  #queue: BlockQueue | null = null;
  #size = 0;
  #writing: Promise<void> | null = null;
  #file: ScratchFile | null = null;
  #isDisposed = false;

  constructor(host: FileWriterHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#size;
  }

  write(bytes: Uint8Array): void {
    if (this.#isDisposed) return;
    this.#hash.update(bytes);
    if (this.#queue === null) this.#pieces.push(ownBytes(bytes));
    else this.#queue.add(bytes);
    this.#size += bytes.length;
    const isTooMuch = this.#host.onHeld(bytes.length);
    if (!isTooMuch && this.#queue === null) return;
    const queue = this.#queue ?? this.#leaveMemory();
    this.#writing ??= this.#writeAll(queue).catch((error: unknown) => this.#host.onFailure(error));
  }

  #leaveMemory(): BlockQueue {
    const queue = new BlockQueue();
    for (const piece of this.#pieces) queue.add(piece);
    this.#pieces = [];
    this.#queue = queue;
    return queue;
  }

  /** The whole file, once it is written. */
  async finish(filename: string): Promise<FormFile> {
    while (this.#writing !== null) await this.#writing;
    const file = this.#file;
    const size = this.#size;
    const content = file === null ? Buffer.concat(this.#pieces) : null;
    if (content !== null) this.#pieces = [content];
    const stream = () =>
      content === null && file !== null ? file.read(0, size) : piecesOf(content ?? new Uint8Array(0));
    return {
      filename,
      size,
      sha256: this.#hash.digest("hex"),
      contentType: sniffContentType(content ?? this.#head),
      scratchFile: file,
      stream,
      pass: () => (content === null && file !== null ? file.pass(0, size) : stream()),
      async bytes() {
        if (content !== null) return content;
        if (size > maxWholeBytes) throw new Error("The file is too large to be read as a whole.");
        return Buffer.concat(await Array.fromAsync(stream()));
      },
    };
  }

  #head: Uint8Array = new Uint8Array(0);

  /** Writes what is held, and what comes meanwhile. */
  async #writeAll(queue: BlockQueue): Promise<void> {
    try {
      const file = (this.#file ??= await this.#host.scratch.create());
      for (let bytes = queue.take(); bytes !== null && !this.#isDisposed; bytes = queue.take()) {
        if (this.#head.length === 0) this.#head = Buffer.from(bytes.subarray(0, sniffedBytes));
        await file.append(bytes);
        this.#host.onHeld(-bytes.length);
        queue.giveBack(bytes);
      }
    } finally {
      this.#writing = null;
      if (this.#isDisposed) await this.#file?.dispose();
    }
  }

  /** Removes what was written. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#pieces = [];
    if (this.#writing === null) await this.#file?.dispose();
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
