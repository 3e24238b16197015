const minBlockBytes = 1 << 10;
const maxBlockBytes = 64 << 10;

/** Bytes that come in pieces, in blocks: a piece may be a few bytes, which would take many times its size by itself. */
export class PieceList {
  readonly #full: Uint8Array[] = [];
  #block = new Uint8Array(0);
  #used = 0;

  /** Adds a copy of a piece, which may be a part of much more memory. */
  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      if (this.#used === this.#block.length) this.#startBlock();
      const part = piece.subarray(at, at + this.#block.length - this.#used);
      this.#block.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
    }
  }

  /** All that was added, in order. */
  all(): readonly Uint8Array[] {
    return this.#used === 0 ? this.#full : [...this.#full, this.#block.slice(0, this.#used)];
  }

  #startBlock(): void {
    const { length } = this.#block;
    if (length > 0) this.#full.push(this.#block);
    this.#block = new Uint8Array(Math.min(Math.max(2 * length, minBlockBytes), maxBlockBytes));
    this.#used = 0;
  }
}
