/** Characters of one piece of a sample. */
const blockLength = 4_096;
/** Beyond so many pieces every second one is let go. */
const maxBlocks = 16;

/**
 * A text that grows without end, of which pieces at even distances are kept: all of it up to 65,536 characters, and
 * never more. That is what an estimate of its tokens looks at.
 */
export class TextSample {
  #blocks: string[] = [];
  /** Of so many pieces that come, one is kept. */
  #stride = 1;
  #seen = 0;
  #open: string[] = [];
  #openLength = 0;
  /** Characters of the whole text. */
  length = 0;

  add(text: string): void {
    this.length += text.length;
    for (let at = 0; at < text.length;) {
      const end = Math.min(text.length, at + blockLength - this.#openLength);
      const part = at === 0 && end === text.length ? text : text.slice(at, end);
      this.#open.push(part);
      this.#openLength += part.length;
      at = end;
      if (this.#openLength === blockLength) this.#closeBlock();
    }
    // Thousands of small strings take many times their length.
    if (this.#open.length >= 256) this.#open = [this.#open.join("")];
  }

  /** The kept text. */
  text(): string {
    return this.#blocks.join("") + (this.#keepsNext() ? this.#open.join("") : "");
  }

  #keepsNext(): boolean {
    return this.#seen % this.#stride === 0;
  }

  #closeBlock(): void {
    // A copy: a part of a long text would keep all of it in memory.
    if (this.#keepsNext()) this.#blocks.push(copyOf(this.#open.join("")));
    this.#seen++;
    this.#open = [];
    this.#openLength = 0;
    if (this.#blocks.length <= maxBlocks) return;
    this.#blocks = this.#blocks.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }
}

/** A text in memory of its own, of a byte a character if they all fit. */
function copyOf(text: string): string {
  const encoding = /[^\0-\xff]/.test(text) ? "utf16le" : "latin1";
  return Buffer.from(text, encoding).toString(encoding);
}
