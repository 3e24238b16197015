const quote = 0x22;
const backslash = 0x5c;
const lineFeed = 0x0a;

/** Longer events are not worth keeping a copy of. */
const maxEventBytes = 8_192;

/**
 * A template of a stream's events: most differ from the one before in the contents of a string or two. Such an
 * event is known to be valid JSON without being parsed, which takes a fraction of the time.
 */
export class EventTemplate {
  #last: Buffer | null = null;
  /** The bytes around the strings that vary; each but the first begins with the quote that ends a string. */
  #parts: readonly Buffer[] = [];

  /**
   * The end of the event that begins at `from`, if it differs from one learned from in nothing but the contents of some
   * strings; else -1.
   */
  endOf(bytes: Buffer, from: number): number {
    const parts = this.#parts;
    const to = bytes.length;
    let at = parts.length > 0 ? from : -1;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (part === undefined) return -1;
      if (index > 0) at = endOfString(bytes, at, to);
      const end = at + part.length;
      if (at < 0 || end > to || bytes.compare(part, 0, part.length, at, end) !== 0) return -1;
      at = end;
    }
    return at;
  }

  /** Learns what varies between this event, whose data is valid JSON, and the one learned from before. */
  learn(event: Buffer): void {
    // Outside of JSON, a quote does not begin a string.
    const isPlain =
      event.length <= maxEventBytes && event.indexOf("data: {") === 0 && event.indexOf(lineFeed) === event.length - 2;
    const copy = isPlain ? Buffer.from(event) : null;
    this.#parts = copy !== null && this.#last !== null ? commonParts(this.#last, copy) : [];
    this.#last = copy;
  }
}

/** The parts of `event` around the strings in which it differs from `other`; empty if it differs in anything else. */
function commonParts(other: Buffer, event: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let partStart = 0;
  let stringStart = -1;
  let at = 0;
  let otherAt = 0;
  while (at < event.length) {
    const byte = event[at];
    // An escape is skipped together with the rest of its string.
    if (byte === other[otherAt] && (byte !== backslash || stringStart < 0)) {
      at++;
      otherAt++;
      if (byte === quote) stringStart = stringStart < 0 ? at : -1;
      continue;
    }
    if (stringStart < 0) return [];
    parts.push(event.subarray(partStart, stringStart));
    partStart = at = endOfString(event, at, event.length);
    otherAt = endOfString(other, otherAt, other.length);
    if (at < 0 || otherAt < 0) return [];
  }
  parts.push(event.subarray(partStart));
  return otherAt === other.length ? parts : [];
}

/** The place of the quote that ends a JSON string, which is read from somewhere within; -1 if it is not valid. */
function endOfString(bytes: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) return at;
    if (byte < 0x20) return -1;
    if (byte !== backslash) continue;
    at++;
    if (bytes[at] === 0x75) {
      for (let digit = 0; digit < 4; digit++) if (!isHexDigit(bytes[++at] ?? 0)) return -1;
    } else if (!simpleEscapes.has(bytes[at] ?? 0)) return -1;
  }
  return -1;
}

const simpleEscapes: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
