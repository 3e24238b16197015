const blockBytes = 128 << 10;
/** Blocks that are kept to be used again. */
const maxFree = 4;

/**
 * Bytes that wait to be written, in blocks that are used again: if each piece that arrives had memory of its own, a large file would
 * leave all of its size behind for the garbage collector, which lets a process grow by tens of megabytes first.
 */
export class BlockQueue {
  readonly #full: Uint8Array[] = [];
  readonly #free: Uint8Array[] = [];
  #last: Uint8Array | null = null;
  #lastLength = 0;

  /** Adds a copy of the bytes. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      this.#last ??= this.#free.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
      const count = Math.min(bytes.length - at, blockBytes - this.#lastLength);
      this.#last.set(bytes.subarray(at, at + count), this.#lastLength);
      at += count;
      this.#lastLength += count;
      if (this.#lastLength < blockBytes) continue;
      this.#full.push(this.#last);
      this.#last = null;
      this.#lastLength = 0;
    }
  }

  /** The next bytes, in their order, which stay as they are until they are given back; null if there are none. */
  take(): Uint8Array | null {
    const full = this.#full.shift();
    if (full !== undefined) return full;
    const bytes = this.#last?.subarray(0, this.#lastLength) ?? null;
    this.#last = null;
    this.#lastLength = 0;
    return bytes;
  }

  /** Gives back what was taken. */
  giveBack(bytes: Uint8Array): void {
    if (this.#free.length < maxFree) this.#free.push(new Uint8Array(bytes.buffer));
  }
}
