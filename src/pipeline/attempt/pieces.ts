import { nextTurn } from "../../next-turn.ts";

/** Copied in one turn of the event loop, in bytes: about a millisecond. */
const stepBytes = 4 << 20;
/** So many small pieces become one: each has an object, and keeps the buffer that it is a part of. */
const maxLoose = 1_024;
/** Together, in bytes. Larger pieces are left as they are. */
const smallBytes = 256 << 10;

/** What has arrived of an answer, in pieces. It takes little more than its bytes, however small the pieces are. */
export class Pieces {
  #list: Uint8Array[] = [];
  /** Pieces before this one are left as they are. */
  #looseFrom = 0;
  #looseBytes = 0;

  get list(): readonly Uint8Array[] {
    return this.#list;
  }

  get length(): number {
    return this.#list.length;
  }

  push(piece: Uint8Array): void {
    this.#list.push(piece);
    this.#looseBytes += piece.length;
    if (this.#list.length - this.#looseFrom < maxLoose) return;
    if (this.#looseBytes <= smallBytes) this.#list.push(Buffer.concat(this.#list.splice(this.#looseFrom)));
    this.#looseFrom = this.#list.length;
    this.#looseBytes = 0;
  }

  /** All of them as one, without a copy if there is only one. None are left. */
  take(): Uint8Array {
    const list = this.#takeList();
    const [first] = list;
    return list.length === 1 && first ? first : Buffer.concat(list);
  }

  /** The same for many bytes, each step in a turn of its own. */
  async takeInSteps(): Promise<Uint8Array> {
    const list = this.#takeList();
    const whole = Buffer.allocUnsafe(list.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    let next = stepBytes;
    for (const piece of list) {
      whole.set(piece, at);
      at += piece.length;
      if (at < next) continue;
      next += stepBytes;
      await nextTurn();
    }
    return whole;
  }

  #takeList(): Uint8Array[] {
    const list = this.#list;
    this.#list = [];
    this.#looseFrom = 0;
    this.#looseBytes = 0;
    return list;
  }
}
