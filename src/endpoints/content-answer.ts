import { GatewayError } from "../errors.ts";
import { readByteRange } from "../http/byte-range.ts";
import type { Answer } from "../pipeline/answer.ts";
import type { ServerExchange } from "../server/exchange.ts";

/** A stored content. */
export interface StoredContent {
  /** What its `ETag` is made of. */
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes from `start` up to `end`. */
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>;
}

/** The bytes of a content, or the range of them that is asked for. Throws a 416 if that is not within them. */
export function contentAnswer(request: Pick<ServerExchange, "headers">, content: StoredContent): Answer {
  const { key, size, headers, read } = content;
  const etag = `"${key}"`;
  const condition = request.headers.get("if-range");
  const asked = condition === null || condition === etag ? request.headers.get("range") : null;
  const range = readByteRange(asked, size);
  if (range === "unsatisfiable") {
    const message = `The range is not within the ${size} bytes of the file.`;
    throw GatewayError.of("range_not_satisfiable", message, { param: "Range", contentRange: `bytes */${size}` });
  }
  const { start, end } = range ?? { start: 0, end: size };
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
  };
}

/** Headers of a content from outside: a browser saves it, and never shows it or runs it as a page. */
export function attachmentHeaders(contentType: string, filename: string): Record<string, string> {
  return { ...guarded(contentType), "content-disposition": dispositionOf("attachment", filename) };
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
