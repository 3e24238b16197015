import type { RequestBodies } from "./body-store.ts";
import type { KeptBody } from "./kept-body.ts";

/** The bodies of a request in the API. */
export function bodiesView({ id, request, answer }: RequestBodies) {
  return { object: "request.bodies", id, request: bodyView(request), answer: bodyView(answer) };
}

function bodyView({ contentType, bytes, text, omitted, isTruncated, redactions }: KeptBody) {
  return {
    content_type: contentType === "" ? null : contentType,
    bytes,
    text,
    omitted,
    truncated: isTruncated,
    redactions,
  };
}
