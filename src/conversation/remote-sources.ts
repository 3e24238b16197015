import type { FieldName } from "./fields.ts";
import type { Part, ToolResultContent } from "./parts.ts";
import type { ConversationRequest } from "./request.ts";
import type { SupportColumn } from "./support.ts";

/** What stood at an address. */
export interface FetchedSource {
  readonly mediaType: string;
  readonly base64: string;
}

/** Something to fetch, and where the caller wrote it. */
export interface RemoteSource {
  readonly url: string;
  readonly path: string | undefined;
}

/** What a provider of this column cannot fetch by itself: each address once. */
export function sourcesToFetch(request: ConversationRequest, column: SupportColumn): RemoteSource[] {
  const found = new Map<string, RemoteSource>();
  const visit = (part: Part) => {
    const url = remoteUrl(part, column);
    if (url !== null && !found.has(url)) found.set(url, { url, path: part.path });
    if (part.type === "tool-result") part.parts.forEach(visit);
  };
  for (const message of request.messages) message.parts.forEach(visit);
  return [...found.values()];
}

/** The request with the bytes in place of these addresses. */
export function withFetched(
  request: ConversationRequest,
  fetched: ReadonlyMap<string, FetchedSource>,
): ConversationRequest {
  if (fetched.size === 0) return request;
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === "tool-result"
        ? { ...part, parts: part.parts.map((inner) => inlined(inner, fetched) as ToolResultContent) }
        : inlined(part, fetched),
    ),
  }));
  return { ...request, messages };
}

function remoteUrl(part: Part, column: SupportColumn): string | null {
  if (part.type !== "image" && part.type !== "document" && part.type !== "audio" && part.type !== "video") return null;
  if (part.source.type !== "url") return null;
  const field: FieldName = `${part.type}.url`;
  const support = column[field];
  return support.status === "emulated" && support.fetched === true ? part.source.url : null;
}

function inlined(part: Part, fetched: ReadonlyMap<string, FetchedSource>): Part {
  if (!("source" in part) || part.source.type !== "url") return part;
  const found = fetched.get(part.source.url);
  return found === undefined ? part : { ...part, source: { type: "data", ...found } };
}
