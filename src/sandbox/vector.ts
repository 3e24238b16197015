/** Creates a vector of length 1 that depends only on the input. */
export function embed(input: string, dimensions: number): Float32Array {
  let seed = Number(Bun.hash(input) & 0xffffffffn);
  const vector = Float32Array.from({ length: dimensions }, () => {
    // A linear congruential generator is sufficient for well-spread values.
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2_147_483_648 - 1;
  });
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** Encodes little-endian 32-bit floats in base64, like OpenAI. */
export function toBase64(vector: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  vector.forEach((value, index) => bytes.setFloat32(index * 4, value, true));
  return Buffer.from(bytes.buffer).toString("base64");
}
