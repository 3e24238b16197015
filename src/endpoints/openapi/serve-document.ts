import { askThread } from "../../ask-thread.ts";
import { answerWithETag, etagOf } from "../etag.ts";
import type { PathEntry } from "../path-entry.ts";
import type { Handler } from "../visit.ts";
import type { DescribedPath } from "./document.ts";

const patienceMs = 30_000;

interface Document {
  readonly body: string;
  readonly etag: string;
}

/**
 * `GET /api/openapi.json`: the document of these paths. It is made when it is first asked for, so that it costs the start
 * nothing, and on a thread of its own: that takes a tenth of a second, which every running stream would feel.
 */
export function serveDocument(entries: () => readonly PathEntry[]): Handler {
  let made: Promise<Document> | null = null;
  async function make(): Promise<Document> {
    const paths = entries().map(({ path, handlers, operations }): DescribedPath => {
      return { path, methods: Object.keys({ ...operations, ...handlers }) };
    });
    const body = await askThread<string>(new URL("./document-thread.ts", import.meta.url), paths, patienceMs);
    return { body, etag: etagOf(body) };
  }
  return async ({ request }) => {
    // What fails is tried again by the next request.
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    const { body, etag } = await made;
    return answerWithETag(request, body, etag, { "cache-control": "public, no-cache" });
  };
}
