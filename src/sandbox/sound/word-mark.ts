/** Tells where a mark begins. */
const magic = [0x7a, 0x6b, 0xe5] as const;
/** The magic, the length of the word, and the length of the tone with its pause. */
const headBytes = magic.length + 1 + 4;
const maxWordBytes = 255;

/** A word as the sound of it carries it. */
export interface WordMark {
  readonly word: string;
  /** Of the tone and its pause, in samples or frames. */
  readonly length: number;
}

/** A word in at most `maxBytes`: of a longer one the beginning. None if there is no room. */
export function writeMark(word: string, maxBytes: number, length: number): Uint8Array {
  const room = Math.min(maxWordBytes, maxBytes - headBytes);
  if (room < 1) return new Uint8Array(0);
  const bytes = Buffer.from(word);
  // Not within a character.
  let end = Math.min(bytes.length, room);
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const mark = Buffer.alloc(headBytes + end);
  mark.set(magic);
  mark.writeUInt8(end, magic.length);
  mark.writeUInt32LE(length, magic.length + 1);
  mark.set(bytes.subarray(0, end), headBytes);
  return mark;
}

/** Reads a mark, byte by byte. Null if there is none. */
export function readMark(byteAt: (index: number) => number): WordMark | null {
  if (magic.some((byte, index) => byteAt(index) !== byte)) return null;
  const size = byteAt(magic.length);
  const bytes = Buffer.from(Array.from({ length: 4 + size }, (_, index) => byteAt(magic.length + 1 + index)));
  return { word: bytes.toString("utf8", 4), length: bytes.readUInt32LE(0) };
}
