/** The headers of a request, on demand. */
export interface RequestHeaders {
  /** The value of a header, its name in any case. Several of one name are joined by ", ". Null if there is none. */
  get(name: string): string | null;
  has(name: string): boolean;
}

/** Headers of which a request rarely has one: whether it does is found in one pass over all of them. */
export interface SearchableHeaders extends RequestHeaders {
  hasAny(names: HeaderNames): boolean;
}

/** A set of header names. Most others differ from them by their length and first letter alone. */
export class HeaderNames {
  readonly #names: ReadonlySet<string>;
  readonly #maxLength: number;
  /** 1 at the length and the first letter of each name. */
  readonly #marks: Uint8Array;

  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
    this.#maxLength = Math.max(...names.map((name) => name.length));
    this.#marks = new Uint8Array((this.#maxLength + 1) << letterBits);
    for (const name of this.#names) this.#marks[markOf(name.length, name.charCodeAt(0))] = 1;
  }

  /** Whether a name may be one of these, by its length and its first character. */
  mayHave(length: number, first: number): boolean {
    return length <= this.#maxLength && this.#marks[markOf(length, first)] === 1;
  }

  has(name: string): boolean {
    return this.#names.has(name.toLowerCase());
  }
}

/** The bits of a letter that do not depend on its case. */
const letterBits = 5;

function markOf(length: number, first: number): number {
  return (length << letterBits) | (first & 31);
}
