import type { FieldName } from "./fields.ts";
import type { Part, ToolResultContent } from "../parts.ts";
import type { ConversationRequest } from "../request.ts";
import type { SupportColumn } from "./support.ts";

/** The content of an address. */
export interface FetchedSource {
  readonly mediaType: string;
  readonly base64: string;
}

/** Something to fetch, and where the caller wrote it. */
export interface RemoteSource {
  readonly url: string;
  readonly kind: "image" | "document" | "audio" | "video";
  readonly path: string | undefined;
}

/** The addresses that a provider of this column cannot fetch by itself, each once. */
export function sourcesToFetch(request: ConversationRequest, column: SupportColumn): RemoteSource[] {
  const found = new Map<string, RemoteSource>();
  const visit = (part: Part) => {
    const source = remoteSource(part, column);
    if (source !== null && !found.has(source.url)) found.set(source.url, source);
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

function remoteSource(part: Part, column: SupportColumn): RemoteSource | null {
  if (part.type !== "image" && part.type !== "document" && part.type !== "audio" && part.type !== "video") return null;
  if (part.source.type !== "url") return null;
  const field: FieldName = `${part.type}.url`;
  const support = column[field];
  if (support.status !== "emulated" || support.fetched !== true) return null;
  return { url: part.source.url, kind: part.type, path: part.path };
}

function inlined(part: Part, fetched: ReadonlyMap<string, FetchedSource>): Part {
  if (!("source" in part) || part.source.type !== "url") return part;
  const found = fetched.get(part.source.url);
  return found === undefined ? part : { ...part, source: { type: "data", ...found } };
}
