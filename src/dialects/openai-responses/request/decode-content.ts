import { sourceOfUrl } from "../../../conversation/data-url.ts";
import type { CacheBreakpoint, DocumentPart, ImagePart, Part } from "../../../conversation/parts.ts";
import { invalidParameter, missingParameter } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import {
  optionalObject,
  optionalString,
  optionalWord,
  requiredObject,
  requiredString,
} from "../../fields/read-field.ts";
import { noteUnknown, type Unknown } from "../../fields/unknown-fields.ts";
import { decodeAnnotations } from "../answer/annotations.ts";
import { readSignatureFields } from "../signatures.ts";

/** Reads a message's `content` or a tool's `output`: a string or parts. Empty text is no part. */
export function decodeContent(content: unknown, path: string, unknown: Unknown): Part[] {
  if (content === undefined || content === null) throw missingParameter(path);
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content, path }];
  if (!Array.isArray(content)) throw invalidParameter(path, "a string or an array of parts");
  const parts: Part[] = [];
  content.forEach((item: unknown, index) => {
    if (!isObject(item)) throw invalidParameter(`${path}[${index}]`, "an object");
    const part = decodePart(item, `${path}[${index}]`, unknown);
    if (part !== null) parts.push(part);
  });
  return parts;
}

const textFields = "type text annotations logprobs prompt_cache_breakpoint extra_content";
const imageFields = "type image_url file_id detail prompt_cache_breakpoint";
const fileFields = "type file_data file_url file_id filename prompt_cache_breakpoint";
const audioFields = "type input_audio prompt_cache_breakpoint";

function decodePart(item: JsonObject, path: string, unknown: Unknown): Part | null {
  const cache = decodeBreakpoint(item.prompt_cache_breakpoint, `${path}.prompt_cache_breakpoint`);
  switch (item.type) {
    case "input_text":
    case "output_text":
    case "text": {
      noteUnknown(item, textFields, path, unknown);
      const text = requiredString(item.text, `${path}.text`);
      const citations = decodeAnnotations(item.annotations);
      const signature = readSignatureFields(item.extra_content);
      return text === "" ? null : { type: "text", text, citations, signature, cache, path };
    }
    case "input_image":
      noteUnknown(item, imageFields, path, unknown);
      return { ...decodeImage(item, path), cache, path };
    case "input_file":
      noteUnknown(item, fileFields, path, unknown);
      return { ...decodeFile(item, path), cache, path };
    case "input_audio": {
      noteUnknown(item, audioFields, path, unknown);
      const audio = requiredObject(item.input_audio, `${path}.input_audio`);
      const base64 = requiredString(audio.data, `${path}.input_audio.data`);
      const format = requiredString(audio.format, `${path}.input_audio.format`);
      const mediaType = format === "mp3" ? "audio/mpeg" : `audio/${format}`;
      return { type: "audio", source: { type: "data", mediaType, base64 }, cache, path };
    }
    case "refusal":
      return { type: "refusal", text: requiredString(item.refusal, `${path}.refusal`), path };
    default:
      if (typeof item.type !== "string") throw invalidParameter(`${path}.type`, "a string");
      return { type: "native", vendor: "openai", value: item, path };
  }
}

function decodeImage(item: JsonObject, path: string): ImagePart {
  const detail = optionalWord(item.detail, `${path}.detail`, ["auto", "low", "high", "original"]);
  const id = optionalString(item.file_id, `${path}.file_id`);
  if (id !== undefined) return { type: "image", source: { type: "file", vendor: "openai", id }, detail };
  return { type: "image", source: sourceOfUrl(requiredString(item.image_url, `${path}.image_url`)), detail };
}

function decodeFile(item: JsonObject, path: string): DocumentPart {
  const title = optionalString(item.filename, `${path}.filename`);
  const id = optionalString(item.file_id, `${path}.file_id`);
  if (id !== undefined) return { type: "document", source: { type: "file", vendor: "openai", id }, title };
  const url = optionalString(item.file_url, `${path}.file_url`);
  if (url !== undefined) return { type: "document", source: sourceOfUrl(url), title };
  const data = requiredString(item.file_data, `${path}.file_data`);
  const source = sourceOfUrl(data);
  if (source.type === "data") return { type: "document", source, title };
  // Bare base64 is taken too, and is a PDF: the one kind of file that all vendors read.
  return { type: "document", source: { type: "data", mediaType: "application/pdf", base64: data }, title };
}

function decodeBreakpoint(value: unknown, path: string): CacheBreakpoint | undefined {
  const breakpoint = optionalObject(value, path);
  if (breakpoint === undefined) return undefined;
  return { lifetime: optionalWord(breakpoint.ttl, `${path}.ttl`, ["30m", "12h"]) };
}
