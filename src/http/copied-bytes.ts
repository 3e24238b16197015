import { nextTurn } from "../next-turn.ts";

const firstBlockBytes = 4 << 10;
const maxBlockBytes = 256 << 10;
/** Joined in one turn of the event loop, in bytes: about a millisecond. */
const stepBytes = 4 << 20;

/** Bytes that arrive in pieces, copied into blocks: however small the pieces are, they take little more than their bytes. */
export class CopiedBytes {
  readonly #blocks: Uint8Array[] = [];
  /** Of the last block. */
  #used = 0;
  length = 0;

  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      let block = this.#blocks.at(-1);
      if (block === undefined || this.#used === block.length) {
        const blockBytes = Math.min(maxBlockBytes, Math.max(firstBlockBytes, this.length, piece.length - at));
        block = new Uint8Array(blockBytes);
        this.#blocks.push(block);
        this.#used = 0;
      }
      const part = piece.subarray(at, at + block.length - this.#used);
      block.set(part, this.#used);
      this.#used += part.length;
      this.length += part.length;
      at += part.length;
    }
  }

  /** All bytes as one. */
  joined(): Uint8Array {
    return Buffer.concat(this.#blocks, this.length);
  }

  /** The same, each few megabytes in a turn of their own. */
  async joinedInSteps(): Promise<Uint8Array> {
    if (this.length <= stepBytes) return this.joined();
    const whole = Buffer.allocUnsafe(this.length);
    let at = 0;
    for (const block of this.#blocks) {
      const part = block.subarray(0, this.length - at);
      whole.set(part, at);
      at += part.length;
      if (at % stepBytes < part.length) await nextTurn();
    }
    return whole;
  }
}
