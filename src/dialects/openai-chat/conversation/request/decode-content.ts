import { sourceOfUrl } from "../../../../conversation/data-url.ts";
import type { CacheBreakpoint, Part } from "../../../../conversation/parts.ts";
import { invalidParameter } from "../../../../errors.ts";
import { isObject, type JsonObject } from "../../../../json/values.ts";
import { noteUnknown, type Unknown } from "../../../fields/unknown-fields.ts";
import {
  optionalObject,
  optionalString,
  optionalWord,
  requiredObject,
  requiredString,
} from "../../../fields/read-field.ts";

/** Reads a message's `content`: a string, parts, or nothing. Empty text is no part. */
export function decodeContent(content: unknown, path: string, unknown: Unknown): Part[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content, path }];
  if (!Array.isArray(content)) throw invalidParameter(path, "a string or an array of parts");
  const parts: Part[] = [];
  content.forEach((item: unknown, index) => {
    if (!isObject(item)) throw invalidParameter(`${path}[${index}]`, "an object");
    const part = decodePart(item, `${path}[${index}]`, unknown);
    if (part !== null) parts.push(part);
  });
  return parts;
}

/** The member with the content of each type of part. */
const partFields: Readonly<Record<string, string>> = {
  text: "text",
  image_url: "image_url",
  input_audio: "input_audio",
  file: "file",
  refusal: "refusal",
};

function decodePart(item: JsonObject, path: string, unknown: Unknown): Part | null {
  const known = partFields[String(item.type)];
  if (known !== undefined) noteUnknown(item, `type prompt_cache_breakpoint ${known}`, path, unknown);
  const cache = decodeBreakpoint(item.prompt_cache_breakpoint, `${path}.prompt_cache_breakpoint`);
  switch (item.type) {
    case "text": {
      const text = requiredString(item.text, `${path}.text`);
      return text === "" ? null : { type: "text", text, cache, path };
    }
    case "image_url": {
      const image = requiredObject(item.image_url, `${path}.image_url`);
      const source = sourceOfUrl(requiredString(image.url, `${path}.image_url.url`));
      const detail = optionalWord(image.detail, `${path}.image_url.detail`, ["auto", "low", "high", "original"]);
      return { type: "image", source, detail, cache, path };
    }
    case "input_audio": {
      const audio = requiredObject(item.input_audio, `${path}.input_audio`);
      const base64 = requiredString(audio.data, `${path}.input_audio.data`);
      const format = requiredString(audio.format, `${path}.input_audio.format`);
      const mediaType = format === "mp3" ? "audio/mpeg" : `audio/${format}`;
      return { type: "audio", source: { type: "data", mediaType, base64 }, cache, path };
    }
    case "file":
      return { ...decodeFile(requiredObject(item.file, `${path}.file`), `${path}.file`), cache, path };
    case "refusal":
      return { type: "refusal", text: requiredString(item.refusal, `${path}.refusal`), path };
    default:
      if (typeof item.type !== "string") throw invalidParameter(`${path}.type`, "a string");
      return { type: "native", vendor: "openai", value: item, path };
  }
}

function decodeFile(file: JsonObject, path: string): Part {
  const title = optionalString(file.filename, `${path}.filename`);
  const id = optionalString(file.file_id, `${path}.file_id`);
  if (id !== undefined) return { type: "document", source: { type: "file", vendor: "openai", id }, title };
  const data = requiredString(file.file_data, `${path}.file_data`);
  const source = sourceOfUrl(data);
  // Bare base64 is taken too, and is a PDF: the one kind of file that all vendors read.
  if (source.type === "data") return { type: "document", source, title };
  if (/^https?:/i.test(data)) return { type: "document", source, title };
  return { type: "document", source: { type: "data", mediaType: "application/pdf", base64: data }, title };
}

function decodeBreakpoint(value: unknown, path: string): CacheBreakpoint | undefined {
  const breakpoint = optionalObject(value, path);
  if (breakpoint === undefined) return undefined;
  return { lifetime: optionalWord(breakpoint.ttl, `${path}.ttl`, ["30m", "12h"]) };
}
