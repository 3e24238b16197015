import { dataUrl } from "../../../../conversation/data-url.ts";
import type { CacheBreakpoint, DocumentPart, Part, Source } from "../../../../conversation/parts.ts";
import type { SupportColumn } from "../../../../conversation/fields/support.ts";
import { unsupportedParameter } from "../../../../errors.ts";
import type { JsonObject } from "../../../../json/values.ts";

/**
 * Parts as `content`: one plain text as a string, the form every server reads, anything more as a list. Null if
 * there is nothing.
 */
export function encodeContent(parts: readonly Part[], support: SupportColumn): string | JsonObject[] | null {
  const items = parts.flatMap((part) => encodePart(part, support));
  const [first] = items;
  if (first === undefined) return null;
  const plain = items.length === 1 && first.type === "text" && first.prompt_cache_breakpoint === undefined;
  return plain && typeof first.text === "string" ? first.text : items;
}

function encodePart(part: Part, support: SupportColumn): JsonObject[] {
  const mark = { prompt_cache_breakpoint: encodeBreakpoint(part.cache, support) };
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text, ...mark }];
    case "image":
      return [{ type: "image_url", image_url: { url: urlOf(part.source, part), detail: part.detail }, ...mark }];
    case "audio":
      return [{ type: "input_audio", input_audio: encodeAudio(part.source, part), ...mark }];
    case "document":
      return encodeDocument(part, mark);
    case "refusal":
      return [{ type: "refusal", refusal: part.text }];
    case "native":
      return part.vendor === "openai" ? [part.value] : [];
    default:
      return [];
  }
}

function encodeBreakpoint(cache: CacheBreakpoint | undefined, support: SupportColumn): JsonObject | undefined {
  if (cache === undefined || support.cache.status !== "carried") return undefined;
  return { mode: "explicit", ttl: cache.lifetime === undefined ? undefined : nearestLifetime[cache.lifetime] };
}

const nearestLifetime = { "5m": "30m", "30m": "30m", "1h": "30m", "12h": "12h" } as const;

function encodeDocument(part: DocumentPart, mark: JsonObject): JsonObject[] {
  const { source, title, context } = part;
  const before = context === undefined ? [] : [{ type: "text", text: context }];
  if (source.type === "text") {
    const text = title === undefined ? source.text : `${title}\n\n${source.text}`;
    return [...before, { type: "text", text, ...mark }];
  }
  if (source.type === "file")
    return [...before, { type: "file", file: { file_id: source.id, filename: title }, ...mark }];
  const file = { file_data: urlOf(source, part), filename: title ?? "document.pdf" };
  return [...before, { type: "file", file, ...mark }];
}

function urlOf(source: Source, part: Part): string {
  if (source.type === "url") return source.url;
  if (source.type === "data") return dataUrl(source.mediaType, source.base64);
  throw unsupportedParameter(part.path ?? "messages", "This provider takes images as data or by address only.");
}

/** Media types by the two names OpenAI has for formats. */
const audioFormats: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
};

function encodeAudio(source: Source, part: Part): JsonObject {
  const format = source.type === "data" ? audioFormats[source.mediaType] : undefined;
  if (source.type !== "data" || format === undefined) {
    throw unsupportedParameter(part.path ?? "messages", "This provider takes audio as WAV or MP3 data only.");
  }
  return { data: source.base64, format };
}
