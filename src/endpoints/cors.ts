import type { RequestHeaders } from "../http/headers.ts";
import type { Answer } from "../pipeline/answer.ts";

/** Headers a page's script may read beside the simple ones. */
const exposed = [
  "X-Service-Request-Id",
  "X-Service-Amount-Microusd",
  "X-Service-Attempts",
  "X-Service-Max-Tokens",
  "X-Service-Warnings",
  "X-Request-Id",
  "Idempotent-Replayed",
  "Retry-After",
  "X-RateLimit-Limit-Requests",
  "X-RateLimit-Limit-Tokens",
  "X-RateLimit-Remaining-Requests",
  "X-RateLimit-Remaining-Tokens",
  "X-RateLimit-Reset-Requests",
  "X-RateLimit-Reset-Tokens",
].join(", ");

/**
 * The headers that let pages of the configured origins read an answer; `*` stands for any. Null if no page asks. The key in a
 * request is what authenticates, never a cookie, so a page can spend only a key that its user gave it.
 */
export function pageHeaders(
  origins: readonly string[],
  headers: RequestHeaders,
): Readonly<Record<string, string>> | null {
  const origin = headers.get("origin");
  if (origin === null) return null;
  const any = origins.includes("*");
  if (any) return { "access-control-allow-origin": "*", "access-control-expose-headers": exposed };
  if (!origins.includes(origin)) return { vary: "Origin" };
  return { vary: "Origin", "access-control-allow-origin": origin, "access-control-expose-headers": exposed };
}

/** Answers `OPTIONS`, for browsers' preflights and for people who ask what a path allows. */
export function preflight(request: RequestHeaders, methods: string): Answer {
  const headers: Record<string, string> = { allow: methods };
  if (request.has("access-control-request-method")) {
    headers["access-control-allow-methods"] = methods;
    headers["access-control-allow-headers"] = request.get("access-control-request-headers") ?? "*";
    headers["access-control-max-age"] = "86400";
    headers.vary = "Access-Control-Request-Headers";
  }
  return { status: 204, headers, body: null };
}
