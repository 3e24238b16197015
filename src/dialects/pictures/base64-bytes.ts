import { nextTurn } from "../../next-turn.ts";

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
