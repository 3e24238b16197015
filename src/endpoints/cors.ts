/** Headers a page's script may read beside the simple ones. */
const exposed = [
  "X-Service-Request-Id",
  "X-Service-Attempts",
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
 * Lets pages of the configured origins read the response; `*` stands for any. The key in a request is what
 * authenticates, never a cookie, so a page can spend only a key that its user gave it.
 */
export function allowOrigin(origins: readonly string[], request: Request, response: Response): Response {
  const origin = request.headers.get("origin");
  if (origin === null) return response;
  const any = origins.includes("*");
  if (!any) response.headers.append("vary", "Origin");
  if (!any && !origins.includes(origin)) return response;
  response.headers.set("access-control-allow-origin", any ? "*" : origin);
  response.headers.set("access-control-expose-headers", exposed);
  return response;
}

/** Answers `OPTIONS`, for browsers' preflights and for people who ask what a path allows. */
export function preflight(request: Request, methods: string): Response {
  const headers: Record<string, string> = { allow: methods };
  if (request.headers.has("access-control-request-method")) {
    headers["access-control-allow-methods"] = methods;
    headers["access-control-allow-headers"] = request.headers.get("access-control-request-headers") ?? "*";
    headers["access-control-max-age"] = "86400";
    headers.vary = "Access-Control-Request-Headers";
  }
  return new Response(null, { status: 204, headers });
}
