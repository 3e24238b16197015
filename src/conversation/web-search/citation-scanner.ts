import type { Citation, FoundPage } from "../parts.ts";
import type { FoundPages } from "./found-pages.ts";

/** What can begin within a piece of text and end in the next one. A run of it beyond `maxTail` is no citation. */
const unfinished = /(?:`+|\[[\d,\s]*|\bh(?:t(?:t(?:p(?:s(?::\/?)?|:\/?)?)?)?)?|https?:\/\/[^\s<>"'`)\]]*)$/;
const maxTail = 4_096;

/** Code delimiters, line ends (which end a code span), numbers in brackets, and addresses. */
const tokens = /`+|\n|\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]|https?:\/\/[^\s<>"'`)\]]+/g;

/** Punctuation that ends a sentence rather than the address before it. */
const trailing = /[.,;:!?]+$/;

/** Citations of one answer at most. Each is many times as long as the mark that it is for. */
export const maxCitations = 1_000;

/** How many citations an answer may still have. Shared by the scanners of all its texts. */
export interface CitationsLeft {
  citations: number;
}

/** Characters of a page that a citation repeats. */
const maxCitedText = 150;

const none: readonly Citation[] = [];

/**
 * Finds the citations in a text as it is written: numbers of found pages in square brackets, and their addresses. What is
 * within code is none. What the text does not say is not cited.
 */
export class CitationScanner {
  readonly #pages: FoundPages;
  readonly #left: CitationsLeft;
  #tail = "";
  /** Where the tail begins, in UTF-16 units of the whole text. */
  #offset = 0;
  /** The backticks that have opened code; null outside of it. */
  #code: string | null = null;

  constructor(pages: FoundPages, left: CitationsLeft = { citations: maxCitations }) {
    this.#pages = pages;
    this.#left = left;
  }

  /** The citations that end in this piece of the text. */
  push(text: string): readonly Citation[] {
    if (this.#left.citations === 0) return none;
    const known = this.#tail + text;
    const begun = unfinished.exec(known.slice(-maxTail));
    const safe = begun === null ? known.length : known.length - begun[0].length;
    return this.#scan(known, safe);
  }

  /** The text has ended. */
  end(): readonly Citation[] {
    return this.#scan(this.#tail, this.#tail.length);
  }

  #scan(text: string, length: number): readonly Citation[] {
    const citations: Citation[] = [];
    for (const match of text.slice(0, length).matchAll(tokens)) {
      if (this.#left.citations === 0) break;
      const [token, numbers] = match;
      if (token.startsWith("`") || token === "\n") this.#delimit(token);
      else if (this.#code !== null) continue;
      else if (numbers !== undefined) this.#citeNumbers(numbers, match.index, token.length, citations);
      else this.#citeAddress(token, match.index, citations);
    }
    this.#tail = text.slice(length);
    this.#offset += length;
    return citations;
  }

  /** A code block ends with a fence like its first, a code span with its line. */
  #delimit(token: string): void {
    if (this.#code === null) this.#code = token === "\n" ? null : token;
    else if (token === this.#code || (token === "\n" && this.#code.length < 3)) this.#code = null;
  }

  #citeNumbers(numbers: string, index: number, length: number, citations: Citation[]): void {
    for (const number of numbers.split(",")) {
      const page = this.#pages.page(Number(number));
      if (page) this.#cite(page, index, length, citations);
    }
  }

  #citeAddress(token: string, index: number, citations: Citation[]): void {
    const bare = token.replace(trailing, "");
    const url = this.#pages.pageAt(token) ? token : bare;
    const page = this.#pages.pageAt(url) ?? this.#pages.pageAt(`${url}/`);
    if (page) this.#cite(page, index, url.length, citations);
  }

  #cite({ url, title, snippet }: FoundPage, index: number, length: number, citations: Citation[]): void {
    if (this.#left.citations === 0) return;
    this.#left.citations--;
    const start = this.#offset + index;
    const citedText = snippet.slice(0, maxCitedText).toWellFormed();
    citations.push({ url, title, citedText, start, end: start + length });
  }
}
