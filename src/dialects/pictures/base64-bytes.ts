import { nextTurn } from "../../next-turn.ts";
import { joinedInSteps } from "./write-answer.ts";

/** Characters that are decoded at once: a multiple of 4. */
const pieceCharacters = 256 << 10;

/** Bytes that base64 in ASCII stands for. */
export function decodedLength(base64: Uint8Array): number {
  let { length } = base64;
  while (length > 0 && base64[length - 1] === 0x3d) length--;
  return Math.floor((length * 3) / 4);
}

/** The bytes of characters of base64 from `start`, a multiple of 4, up to `end`. */
export function decodeBase64(base64: Uint8Array, start = 0, end = base64.length): Uint8Array {
  return Buffer.from(asBuffer(base64).toString("latin1", start, end), "base64");
}

/** The bytes of base64, decoded as they are read. */
export async function* base64Pieces(base64: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < base64.length; at += pieceCharacters) {
    yield decodeBase64(base64, at, Math.min(at + pieceCharacters, base64.length));
  }
}

/** Characters that are checked in one turn of the event loop: about a millisecond. */
const checkedAtOnce = 1 << 20;
const otherCharacters = /[^A-Za-z0-9+/=]/;
const padding = 0x3d;

/**
 * Base64 as all decoders read it: in one line, of the standard alphabet, padded. It is the same array if it is so already. Null if it is
 * no base64, of which decoders make other bytes: they pass over what they do not know.
 */
export async function standardBase64(base64: Uint8Array): Promise<Uint8Array | null> {
  const buffer = asBuffer(base64);
  const pieces: Uint8Array[] = [];
  let isStandard = true;
  for (let at = 0; at < buffer.length; at += checkedAtOnce) {
    if (at > 0) await nextTurn();
    const piece = buffer.subarray(at, at + checkedAtOnce);
    const text = piece.toString("latin1");
    if (!otherCharacters.test(text)) {
      pieces.push(piece);
      continue;
    }
    const letters = text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
    if (otherCharacters.test(letters)) return null;
    isStandard = false;
    pieces.push(Buffer.from(letters, "latin1"));
  }
  const whole = isStandard ? base64 : await joinedInSteps(pieces);
  const end = whole.indexOf(padding);
  const length = end < 0 ? whole.length : end;
  const isPaddingOnly = whole.length - length <= 2 && whole.subarray(length).every((byte) => byte === padding);
  if (!isPaddingOnly || length % 4 === 1) return null;
  const padded = Math.ceil(length / 4) * 4;
  if (padded === whole.length) return whole;
  return joinedInSteps([whole.subarray(0, length), Buffer.alloc(padded - length, padding)]);
}

/** Whether a text is base64 of either alphabet, in one line or several. */
export function isBase64(text: string): boolean {
  return /^[\w+/\-\s]*(?:=\s*){0,2}$/.test(text);
}

/** Bytes that are encoded in one turn of the event loop: a multiple of 3. */
const encodedAtOnce = 3 << 20;

/** Bytes as base64 in ASCII, in steps. */
export async function encodeBase64(bytes: Uint8Array): Promise<Uint8Array> {
  const buffer = asBuffer(bytes);
  const encoded = Buffer.allocUnsafe(Math.ceil(bytes.length / 3) * 4);
  for (let at = 0, written = 0; at < bytes.length; at += encodedAtOnce) {
    if (at > 0) await nextTurn();
    const text = buffer.toString("base64", at, Math.min(at + encodedAtOnce, bytes.length));
    written += encoded.write(text, written, "latin1");
  }
  return encoded;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
