import type {
  CacheBreakpoint,
  DocumentPart,
  Part,
  Signature,
  Source,
  ToolResultPart,
} from "../../../conversation/parts.ts";
import { invalidParameter } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import {
  optionalBoolean,
  optionalObject,
  optionalString,
  optionalWord,
  requiredObject,
  requiredString,
} from "../../fields/read-field.ts";
import { decodeCitations } from "../answer/citations.ts";
import { type Seal, unsealSignature } from "../sealed-signature.ts";
import { noteUnknown, type Unknown } from "../../fields/unknown-fields.ts";

/** Reads `content`: a string or blocks. Empty text is no part. */
export function decodeBlocks(content: unknown, path: string, unknown: Unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content, path }];
  if (!Array.isArray(content)) throw invalidParameter(path, "a string or an array of blocks");
  const parts: Part[] = [];
  let forNext: Signature | null = null;
  content.forEach((value: unknown, index) => {
    const at = `${path}[${index}]`;
    const block = requiredObject(value, at);
    // It may be large: it is read once.
    const seal = block.type === "redacted_thinking" ? unsealSignature(requiredString(block.data, `${at}.data`)) : null;
    // A signature in a separate block belongs to the block beside it.
    if (seal?.of === "next") forNext = seal.signature;
    else if (seal?.of === "previous") parts.push(...sign(parts.pop(), seal.signature));
    else {
      const part = seal === null ? decodeBlock(block, at, unknown) : redactedReasoning(seal, at);
      if (part === null) return;
      parts.push(...(forNext === null ? [part] : sign(part, forNext)));
      forNext = null;
    }
  });
  return parts;
}

function redactedReasoning({ signature, id }: Seal, path: string): Part {
  return { type: "reasoning", text: "", signature, redacted: true, id, path };
}

function sign(part: Part | undefined, signature: Signature): Part[] {
  if (part === undefined) return [];
  const takes = part.type === "text" || part.type === "tool-call" || part.type === "image";
  return [takes ? { ...part, signature } : part];
}

function decodeBlock(block: JsonObject, path: string, unknown: Unknown): Part | null {
  const cache = decodeCacheControl(block.cache_control, `${path}.cache_control`);
  switch (block.type) {
    case "text": {
      noteUnknown(block, "type text cache_control citations", path, unknown);
      const text = requiredString(block.text, `${path}.text`);
      return text === "" ? null : { type: "text", text, citations: decodeCitations(block.citations), cache, path };
    }
    case "image":
      noteUnknown(block, "type source cache_control", path, unknown);
      return { type: "image", source: decodeSource(block.source, `${path}.source`), cache, path };
    case "document":
      noteUnknown(block, "type source cache_control title context citations", path, unknown);
      return decodeDocument(block, cache, path);
    case "thinking":
      return decodeThinking(block, path);
    case "tool_use":
      noteUnknown(block, "type id name input cache_control caller", path, unknown);
      return {
        type: "tool-call",
        kind: "function",
        id: requiredString(block.id, `${path}.id`),
        name: requiredString(block.name, `${path}.name`),
        input: JSON.stringify(requiredObject(block.input, `${path}.input`)),
        cache,
        path,
      };
    case "tool_result":
      noteUnknown(block, "type tool_use_id content is_error cache_control", path, unknown);
      return decodeToolResult(block, cache, path, unknown);
    default:
      if (typeof block.type !== "string") throw invalidParameter(`${path}.type`, "a string");
      return { type: "native", vendor: "anthropic", value: block, path };
  }
}

function decodeThinking(block: JsonObject, path: string): Part {
  const text = requiredString(block.thinking, `${path}.thinking`);
  const sealed = optionalString(block.signature, `${path}.signature`) ?? "";
  if (sealed === "") return { type: "reasoning", text, path };
  const { signature, id } = unsealSignature(sealed);
  return { type: "reasoning", text, signature, id, path };
}

function decodeToolResult(
  block: JsonObject,
  cache: CacheBreakpoint | undefined,
  path: string,
  unknown: Unknown,
): ToolResultPart {
  const content = block.content ?? "";
  return {
    type: "tool-result",
    callId: requiredString(block.tool_use_id, `${path}.tool_use_id`),
    parts: decodeBlocks(content, `${path}.content`, unknown) as ToolResultPart["parts"],
    isError: optionalBoolean(block.is_error, `${path}.is_error`) === true ? true : undefined,
    cache,
    path,
  };
}

function decodeDocument(block: JsonObject, cache: CacheBreakpoint | undefined, path: string): Part {
  const source = requiredObject(block.source, `${path}.source`);
  // A document made of blocks has no like elsewhere.
  if (source.type === "content") return { type: "native", vendor: "anthropic", value: block, path };
  const citations = optionalObject(block.citations, `${path}.citations`);
  const plain: DocumentPart["source"] | null =
    source.type === "text" ? { type: "text", text: requiredString(source.data, `${path}.source.data`) } : null;
  return {
    type: "document",
    source: plain ?? decodeSource(source, `${path}.source`),
    title: optionalString(block.title, `${path}.title`),
    context: optionalString(block.context, `${path}.context`),
    citations: citations?.enabled === true ? true : undefined,
    cache,
    path,
  };
}

function decodeSource(value: unknown, path: string): Source {
  const source = requiredObject(value, path);
  switch (source.type) {
    case "base64": {
      const mediaType = requiredString(source.media_type, `${path}.media_type`);
      return { type: "data", mediaType, base64: requiredString(source.data, `${path}.data`) };
    }
    case "url":
      return { type: "url", url: requiredString(source.url, `${path}.url`) };
    case "file":
      return { type: "file", vendor: "anthropic", id: requiredString(source.file_id, `${path}.file_id`) };
    default:
      throw invalidParameter(`${path}.type`, "one of base64, url, file");
  }
}

export function decodeCacheControl(value: unknown, path: string): CacheBreakpoint | undefined {
  if (!isObject(value)) return undefined;
  return { lifetime: optionalWord(value.ttl, `${path}.ttl`, ["5m", "1h"]) };
}
