import { bodyTooLarge, GatewayError, invalidRequest } from "../errors.ts";
import { isCoding, openDecompressor } from "../upstream/http/answer/inflate.ts";
import { ZstdFrames } from "../upstream/http/answer/zstd-frames.ts";

const header = "Content-Encoding";
/** Nobody compresses a body more often than twice. */
const maxCodings = 4;

/** The codings of a body in the order in which they were applied, less `identity`. Throws a 415 if one is not known. */
export function readCodings(encoding: string | null): readonly string[] {
  if (encoding === null) return noCodings;
  const named = encoding.toLowerCase().split(",");
  const codings = named.map((coding) => coding.trim()).filter((coding) => coding !== "identity" && coding !== "");
  if (codings.length <= maxCodings && codings.every(isCoding)) return codings;
  const message = `The request body must be sent as it is, or compressed with gzip, deflate, br or zstd (at most ${maxCodings} times).`;
  throw GatewayError.of("unsupported_media_type", message, { param: header });
}

const noCodings: readonly string[] = [];

/**
 * Decompresses a body in steps, on threads of the system's, and stops as soon as it is too large.
 * @param onBytes gets the size of each step before it is kept, and may throw
 * @throws 400 if the bytes do not match the codings, 413 if there are more than `maxBytes`
 */
export async function inflateBody(
  bytes: Uint8Array,
  codings: readonly string[],
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<Uint8Array> {
  let inflated = bytes;
  for (const coding of codings.toReversed()) inflated = await inflate(inflated, coding, maxBytes, onBytes);
  return inflated;
}

function inflate(
  bytes: Uint8Array,
  coding: string,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const invalid = () => reject(invalidRequest("invalid_encoding", `The request body is not valid ${coding}.`, header));
  const pieces: Uint8Array[] = [];
  let total = 0;
  const stream = openDecompressor(coding, bytes);
  stream.on("data", (piece: Uint8Array) => {
    total += piece.length;
    try {
      if (total > maxBytes) throw bodyTooLarge(maxBytes);
      onBytes(piece.length);
      pieces.push(piece);
    } catch (error) {
      stream.destroy();
      reject(error);
    }
  });
  stream.on("end", () => {
    if (coding === "zstd" && !isWholeZstd(bytes)) invalid();
    else resolve(Buffer.concat(pieces));
  });
  stream.on("error", invalid);
  stream.end(bytes);
  return promise;
}

function isWholeZstd(bytes: Uint8Array): boolean {
  const frames = new ZstdFrames();
  frames.give(bytes);
  return bytes.length > 0 && frames.complete;
}
