const letters = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "latin1");
const padding = 0x3d;

/** Bytes that are encoded at once. */
const inputBytes = 48 << 10;

/**
 * Bytes in base64, as they come. A piece is good until the next one is asked for: all are made in the same memory, since texts
 * of tens of megabytes would fill it before they are collected.
 */
export async function* base64Of(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = Buffer.allocUnsafeSlow(inputBytes);
  const output = Buffer.allocUnsafeSlow((inputBytes / 3) * 4);
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const taken = Math.min(inputBytes - filled, piece.length - at);
      input.set(piece.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < inputBytes) continue;
      yield output.subarray(0, encode(input, filled, output));
      filled = 0;
    }
  }
  if (filled > 0) yield output.subarray(0, encode(input, filled, output));
}

/** Returns the bytes written. */
function encode(input: Uint8Array, length: number, output: Uint8Array): number {
  let to = 0;
  const write = (sextet: number) => {
    output[to] = letters[sextet & 63] ?? padding;
    to += 1;
  };
  for (let from = 0; from < length; from += 3) {
    const left = length - from;
    const bits =
      ((input[from] ?? 0) << 16) |
      (left > 1 ? (input[from + 1] ?? 0) << 8 : 0) |
      (left > 2 ? (input[from + 2] ?? 0) : 0);
    write(bits >> 18);
    write(bits >> 12);
    write(bits >> 6);
    write(bits);
  }
  for (let missing = (3 - (length % 3)) % 3; missing > 0; missing -= 1) output[to - missing] = padding;
  return to;
}
