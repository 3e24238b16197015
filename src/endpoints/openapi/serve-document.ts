import type { PathEntry } from "../path-entry.ts";
import { answerWithETag, etagOf } from "../etag.ts";
import type { Handler } from "../visit.ts";

/**
 * `GET /api/openapi.json`: the document of these paths. It is made when it is first asked for, so that it costs the start
 * nothing.
 */
export function serveDocument(entries: () => readonly PathEntry[]): Handler {
  let made: Promise<{ readonly body: string; readonly etag: string }> | null = null;
  async function make() {
    const { openApiDocument } = await import("./document.ts");
    const body = JSON.stringify(openApiDocument(entries()));
    return { body, etag: etagOf(body) };
  }
  return async ({ request }) => {
    made ??= make();
    const { body, etag } = await made;
    return answerWithETag(request, body, etag, { "cache-control": "public, no-cache" });
  };
}
