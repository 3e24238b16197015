/** Buffers up to this size may be kept for the sake of a part of them. */
const smallBuffer = 16 << 10;

/** Bytes that are kept for later: as a copy if they are a small part of a large buffer, all of which they would keep in memory. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  const { byteLength } = bytes.buffer;
  return byteLength > smallBuffer && bytes.byteLength * 4 < byteLength * 3 ? Buffer.from(bytes) : bytes;
}
