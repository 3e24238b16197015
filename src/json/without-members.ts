/** Shorter texts are parsed whole, in bytes: that takes no longer than a search. */
const shortText = 64 << 10;

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * A large JSON text with the arrays and objects that are members of this name emptied: vectors and log probabilities, which
 * are handed on unread. They may hold millions of values, more than can be parsed at once.
 */
export function withoutMembers(body: Uint8Array, name: string): Uint8Array {
  if (body.length <= shortText) return body;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const written = Buffer.from(JSON.stringify(name));
  const kept: Uint8Array[] = [];
  let from = 0;
  for (let at = bytes.indexOf(written); at >= 0; at = bytes.indexOf(written, from)) {
    const start = valueStart(bytes, at + written.length);
    const end = bytes[at - 1] === backslash ? start : endOfContainer(bytes, start);
    kept.push(bytes.subarray(from, end > start ? start + 1 : start));
    from = end > start ? end - 1 : start;
  }
  if (kept.length === 0) return body;
  kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}

/** The offset of the value whose name ends at `at`; `at` if no colon follows. */
function valueStart(bytes: Buffer, at: number): number {
  const afterName = afterSpaces(bytes, at);
  return bytes[afterName] === colon ? afterSpaces(bytes, afterName + 1) : at;
}

/** The offset after the array or object that begins at `start`; `start` if there is none, or it does not end. */
function endOfContainer(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first !== openBracket && first !== openBrace) return start;
  if (first === openBracket && isNumber(bytes[afterSpaces(bytes, start + 1)])) {
    const end = bytes.indexOf(closeBracket, start);
    if (end < 0) return start;
    const numbers = bytes.subarray(start + 1, end);
    // A search is much faster than a look at each byte.
    if (!numbers.includes(quote) && !numbers.includes(openBracket) && !numbers.includes(openBrace)) return end + 1;
  }
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
    } else if (byte === openBracket || byte === openBrace) depth++;
    else if ((byte === closeBracket || byte === closeBrace) && --depth === 0) return at + 1;
  }
  return start;
}

function isNumber(byte: number | undefined): boolean {
  return byte !== undefined && (byte === minus || (byte >= zero && byte <= nine));
}

function afterSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;
}
