import { GatewayError } from "../errors.ts";
import { readByteRange } from "../http/byte-range.ts";
import type { Answer } from "../pipeline/answer.ts";
import type { ServerExchange } from "../server/exchange.ts";

/** Bytes from outside that are kept, and can be read in part. */
export interface ServedContent {
  readonly bytes: number;
  /** By its first bytes. */
  readonly contentType: string;
  readonly filename: string;
  /** With its quotes. */
  readonly etag: string;
  /** The bytes from `start` up to `end`. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** A content, or the range of it that is asked for. Throws a 416 for a range beyond its end. */
export function contentAnswer(request: Pick<ServerExchange, "headers">, content: ServedContent): Answer {
  const { bytes, contentType, filename, etag } = content;
  const condition = request.headers.get("if-range");
  const asked = condition === null || condition === etag ? request.headers.get("range") : null;
  const range = readByteRange(asked, bytes);
  if (range === "unsatisfiable") {
    const message = `The range is not within the ${bytes} bytes of the file.`;
    throw GatewayError.of("range_not_satisfiable", message, { param: "Range", contentRange: `bytes */${bytes}` });
  }
  const { start, end } = range ?? { start: 0, end: bytes };
  return {
    status: range === null ? 200 : 206,
    headers: {
      ...safeContentHeaders(contentType, filename),
      "content-length": String(end - start),
      ...(range && { "content-range": `bytes ${start}-${end - 1}/${bytes}` }),
      "accept-ranges": "bytes",
      etag,
    },
    body: null,
    pieces: content.read(start, end),
  };
}

/** Headers of a content from outside: a browser saves it, and never shows it or runs it as a page. */
function safeContentHeaders(contentType: string, filename: string): Record<string, string> {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return {
    "content-type": contentType,
    "content-disposition": `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    "content-security-policy": "sandbox",
    "x-content-type-options": "nosniff",
  };
}
