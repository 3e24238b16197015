import { pieceBytes } from "../blobs/content.ts";
import { GatewayError } from "../errors.ts";
import { readByteRange } from "../http/byte-range.ts";
import type { Answer } from "../pipeline/answer.ts";
import type { Hold } from "../pipeline/capacity/capacity.ts";
import type { Visit } from "./visit.ts";

/** What a download holds in memory: a piece, and what its caller has not taken of the one before. */
const downloadBytes = 2 * pieceBytes;

/** A stored content. */
export interface StoredContent {
  /** What its `ETag` is made of. */
  readonly tag: string;
  /** The key whose caller takes it, for its share of the capacity. What needs no key has one name for all. */
  readonly keyId: string;
  /** In bytes. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes from `start` up to `end`. */
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>;
}

/**
 * The bytes of a content, or the range of them that is asked for.
 * @throws 416 if that is not within them; 503 `overloaded`
 */
export function contentAnswer(
  { services, request }: Pick<Visit, "services" | "request">,
  { tag, keyId, size, headers, read }: StoredContent,
): Answer {
  const etag = `"${tag}"`;
  const condition = request.headers.get("if-range");
  const asked = condition === null || condition === etag ? request.headers.get("range") : null;
  const range = readByteRange(asked, size);
  if (range === "unsatisfiable") {
    const message = `The range is not within the ${size} bytes of the file.`;
    throw GatewayError.of("range_not_satisfiable", message, { param: "Range", contentRange: `bytes */${size}` });
  }
  const { start, end } = range ?? { start: 0, end: size };
  // A slow reader holds pieces in memory for as long as it reads.
  const hold = services.capacity.admit(keyId);
  if (request.method !== "HEAD") takeBytes(hold, Math.min(end - start, downloadBytes));
  return {
    status: range === null ? 200 : 206,
    headers: {
      ...headers,
      "content-length": String(end - start),
      ...(range && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
      "accept-ranges": "bytes",
      etag,
    },
    body: null,
    pieces: read(start, end),
    onSent: () => hold.release(),
  };
}

/** Throws a 503 if the gateway holds as many bytes as it can. */
function takeBytes(hold: Hold, bytes: number): void {
  try {
    hold.addBodyBytes(bytes);
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** Headers of a content from outside: a browser saves it, and never shows it or runs it as a page. */
export function attachmentHeaders(contentType: string, filename: string): Record<string, string> {
  return { ...guarded(contentType), "content-disposition": dispositionOf("attachment", filename) };
}

/** What a browser shows or plays without running anything in it. */
const shown = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** Headers of a content for an operator to look at: shown if it is an image, a sound or a film, else saved. */
export function viewHeaders(contentType: string, filename: string): Record<string, string> {
  return shown.test(contentType) ? inlineHeaders(contentType, filename) : attachmentHeaders(contentType, filename);
}

/** Headers of an image that a browser may show. */
export function inlineHeaders(contentType: string, filename: string): Record<string, string> {
  return { ...guarded(contentType), "content-disposition": dispositionOf("inline", filename) };
}

function guarded(contentType: string): Record<string, string> {
  return {
    "content-type": contentType,
    "content-security-policy": "sandbox",
    "x-content-type-options": "nosniff",
  };
}

function dispositionOf(kind: "attachment" | "inline", filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
