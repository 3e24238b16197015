import { dataUrl } from "../../../conversation/data-url.ts";
import type { CacheBreakpoint, DocumentPart, ImagePart, Part } from "../../../conversation/parts.ts";
import type { SupportColumn } from "../../../conversation/fields/support.ts";
import { unsupportedParameter } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";

/** Parts as a message's `content` or a tool's `output`: one plain text as a string, anything more as a list. */
export function encodeContent(parts: readonly Part[], support: SupportColumn): string | JsonObject[] {
  const items = parts.flatMap((part) => encodePart(part, support));
  const [first] = items;
  if (first === undefined) return "";
  const plain = items.length === 1 && first.type === "input_text" && first.prompt_cache_breakpoint === undefined;
  return plain && typeof first.text === "string" ? first.text : items;
}

function encodePart(part: Part, support: SupportColumn): JsonObject[] {
  const mark = { prompt_cache_breakpoint: encodeBreakpoint(part.cache, support) };
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "input_text", text: part.text, ...mark }];
    case "image":
      return [{ type: "input_image", ...encodeImage(part), detail: part.detail, ...mark }];
    case "document":
      return encodeDocument(part, mark);
    case "native":
      return part.vendor === "openai" ? [part.value] : [];
    default:
      return [];
  }
}

function encodeImage({ source, path }: ImagePart): JsonObject {
  if (source.type === "url") return { image_url: source.url };
  if (source.type === "data") return { image_url: dataUrl(source.mediaType, source.base64) };
  if (source.vendor === "openai") return { file_id: source.id };
  throw unsupportedParameter(path ?? "input", "This provider cannot read a file stored at another vendor.");
}

function encodeDocument({ source, title, context, path }: DocumentPart, mark: JsonObject): JsonObject[] {
  const before = context === undefined ? [] : [{ type: "input_text", text: context }];
  const file = (where: JsonObject) => [...before, { type: "input_file", ...where, ...mark }];
  switch (source.type) {
    case "text": {
      const text = title === undefined ? source.text : `${title}\n\n${source.text}`;
      return [...before, { type: "input_text", text, ...mark }];
    }
    case "url":
      return file({ file_url: source.url, filename: title });
    case "data":
      // OpenAI infers the type of inline data from its name.
      return file({
        filename: title ?? defaultName(source.mediaType),
        file_data: dataUrl(source.mediaType, source.base64),
      });
    default:
      if (source.vendor === "openai") return file({ file_id: source.id, filename: title });
      throw unsupportedParameter(path ?? "input", "This provider cannot read a file stored at another vendor.");
  }
}

function defaultName(mediaType: string): string {
  return mediaType === "application/pdf" ? "document.pdf" : "document.txt";
}

const nearestLifetime = { "5m": "30m", "30m": "30m", "1h": "30m", "12h": "12h" } as const;

function encodeBreakpoint(cache: CacheBreakpoint | undefined, support: SupportColumn): JsonObject | undefined {
  if (cache === undefined || support.cache.status !== "carried") return undefined;
  return { mode: "explicit", ttl: cache.lifetime === undefined ? undefined : nearestLifetime[cache.lifetime] };
}
