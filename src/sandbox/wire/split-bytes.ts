import type { Framing } from "../script/script.ts";

/** Splits bytes into the writes that a script asks for. */
export function* splitBytes(bytes: Uint8Array, split: Framing["split"]): Generator<Uint8Array> {
  if (split === undefined || split === "merge") {
    yield bytes;
    return;
  }
  if (split === "utf8") {
    yield* splitInsideCharacters(bytes);
    return;
  }
  const size = split === "bytes" ? 1 : split;
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** Splits after the first byte of every multi-byte character. */
function* splitInsideCharacters(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  for (const [position, byte] of bytes.entries()) {
    if (byte < 0xc0) continue;
    yield bytes.subarray(start, position + 1);
    start = position + 1;
  }
  if (start < bytes.length) yield bytes.subarray(start);
}
