import type { Answer } from "../pipeline/answer.ts";
import type { ServerExchange } from "../server/exchange.ts";

/** The ETag of a text. */
export function etagOf(text: string): string {
  return `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 27)}"`;
}

/** An answer of JSON text with its ETag; 304 if the caller knows it. */
export function answerWithETag(
  request: Pick<ServerExchange, "headers">,
  body: string,
  etag: string,
  more: Readonly<Record<string, string>>,
): Answer {
  const headers = { etag, ...more };
  if (matches(request.headers.get("if-none-match"), etag)) return { status: 304, headers, body: null };
  return { status: 200, headers: { ...headers, "content-type": "application/json" }, body };
}

function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}
