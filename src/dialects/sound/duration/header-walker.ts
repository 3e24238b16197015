/** So many headers, or bytes that begin none, are looked at: a day of the shortest frames. */
const maxSteps = 4_000_000;

/**
 * Walks from header to header through bytes that come in pieces, and skips what lies between without keeping it.
 * @param step is given the bytes from a header on, and returns how many lead to the next one; 0: more bytes are needed
 * @param maxHeader a header that is not whole after so many bytes ends the walk
 */
export class HeaderWalker {
  readonly #step: (bytes: Uint8Array, at: number) => number;
  readonly #maxHeader: number;
  #skip = 0;
  #carry: Uint8Array | null = null;
  #steps = 0;
  #isOver = false;
  /** What has been walked through has no end: how it goes on is not known. */
  hasGivenUp = false;

  constructor(maxHeader: number, step: (bytes: Uint8Array, at: number) => number) {
    this.#maxHeader = maxHeader;
    this.#step = step;
  }

  push(piece: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#skip >= piece.length) {
      this.#skip -= piece.length;
      return;
    }
    const rest = this.#skip > 0 ? piece.subarray(this.#skip) : piece;
    const bytes = this.#carry === null ? rest : Buffer.concat([this.#carry, rest]);
    this.#skip = 0;
    this.#carry = null;
    let at = 0;
    while (at < bytes.length) {
      this.#steps += 1;
      if (this.#steps > maxSteps) {
        this.#isOver = this.hasGivenUp = true;
        return;
      }
      const advance = this.#step(bytes, at);
      if (advance > 0) {
        at += advance;
        continue;
      }
      if (bytes.length - at >= this.#maxHeader) this.#isOver = true;
      // A copy: the piece may be a small part of a large buffer.
      else this.#carry = Buffer.from(bytes.subarray(at));
      return;
    }
    this.#skip = at - bytes.length;
  }
}
