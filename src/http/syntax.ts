/** The syntax of HTTP/1 heads (RFC 9110 and 9112), as bytes. */

export const tab = 9;
export const lineFeed = 10;
export const carriageReturn = 13;
export const space = 32;
export const colon = 58;
export const zero = 48;

/** How the body that follows a head is delimited if not by its length in bytes. */
export const bodyIsChunked = -1;

/** 1 for every byte that may stand in a header's name or a method. */
export const isToken = new Uint8Array(256);
for (const byte of Buffer.from("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
  isToken[byte] = 1;
}

/** 1 for every byte that may stand in a header's value. */
export const isText = new Uint8Array(256).fill(1);
isText.fill(0, 0, space);
isText[tab] = 1;
isText[127] = 0;

export const endOfHead = Buffer.from("\r\n\r\n");

/** A length of so many digits is still exact as a number. */
export const maxLengthDigits = 15;

/** Whether `word`, in lower case, stands at `at`, in any case. Control characters, which it takes for others, are ruled out before. */
export function equals(bytes: Buffer, at: number, word: Buffer): boolean {
  for (let index = 0; index < word.length; index++) {
    if (((bytes[at + index] ?? 0) | 32) !== word[index]) return false;
  }
  return true;
}

/** A header's value in lower case. */
export function valueOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("latin1", start, end).trim().toLowerCase();
}

/** A number of at most 15 digits, after at most one space; null for anything else. */
export function readDigits(bytes: Buffer, start: number, end: number): number | null {
  const first = bytes[start] === space ? start + 1 : start;
  if (end === first || end - first > maxLengthDigits) return null;
  let value = 0;
  for (let at = first; at < end; at++) {
    const digit = (bytes[at] ?? 0) - zero;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}
