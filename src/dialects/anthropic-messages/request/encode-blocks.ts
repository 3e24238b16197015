import type {
  CacheBreakpoint,
  DocumentPart,
  Part,
  Source,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../../conversation/parts.ts";
import { parseToolInput } from "../../../conversation/tool-calls.ts";
import { unsupportedParameter } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import { fitToolId, type ToolIdRule } from "../../fields/tool-ids.ts";

export const messagesToolIds: ToolIdRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 128, prefix: "toolu_" };

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Gathered while a request's messages are encoded. */
export interface BlockNotes {
  /** Paths of values that had to change or stay behind. */
  readonly warnings: string[];
  /** Cache breakpoints the vendor still takes. */
  breakpointsLeft: number;
}

/** Parts as blocks. Blank text, which the vendor refuses, is left out. */
export function encodeBlocks(parts: readonly Part[], notes: BlockNotes): JsonObject[] {
  return parts.flatMap((part) => {
    const block = encodeBlock(part, notes);
    return block === null ? [] : [block];
  });
}

function encodeBlock(part: Part, notes: BlockNotes): JsonObject | null {
  const path = part.path ?? "messages";
  switch (part.type) {
    case "text":
      if (part.text.trim() === "") {
        notes.warnings.push(path);
        return null;
      }
      return {
        type: "text",
        text: part.text,
        citations: encodeOwnCitations(part, notes),
        cache_control: encodeCache(part, notes),
      };
    case "refusal":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", source: encodeImageSource(part.source, path), cache_control: encodeCache(part, notes) };
    case "document":
      return encodeDocument(part, path, encodeCache(part, notes));
    case "reasoning":
      return encodeReasoning(part);
    case "tool-call":
      return encodeToolCall(part, notes);
    case "tool-result":
      return encodeToolResult(part, notes);
    case "native":
      return part.vendor === "anthropic" ? part.value : null;
    default:
      throw unsupportedParameter(path, `This provider takes no ${part.type}.`);
  }
}

/** Citations of other vendors rest on what this one has never seen. */
function encodeOwnCitations({ citations, path }: TextPart, notes: BlockNotes): JsonObject[] | undefined {
  if (citations === undefined) return undefined;
  const own = citations.flatMap(({ native }) => (native?.vendor === "anthropic" ? [native.value] : []));
  if (own.length < citations.length) notes.warnings.push(path ?? "messages");
  return own.length === 0 ? undefined : own;
}

/** Only reasoning that Anthropic signed can go back to it, unchanged. */
function encodeReasoning({ text, signature, redacted }: Extract<Part, { type: "reasoning" }>): JsonObject | null {
  if (signature?.vendor !== "anthropic") return null;
  if (redacted === true) return { type: "redacted_thinking", data: signature.value };
  return { type: "thinking", thinking: text, signature: signature.value };
}

function encodeToolCall(call: ToolCallPart, notes: BlockNotes): JsonObject {
  const { kind, id, name, input } = call;
  let object = kind === "custom" ? { input } : parseToolInput(input);
  if (object === null) {
    // Arguments that are no object, such as those of an answer cut short, are still shown to the model.
    notes.warnings.push(call.path ?? "messages");
    object = { arguments: input };
  }
  const cache_control = encodeCache(call, notes);
  return { type: "tool_use", id: fitToolId(id, messagesToolIds), name, input: object, cache_control };
}

function encodeToolResult(result: ToolResultPart, notes: BlockNotes): JsonObject {
  const content = encodeBlocks(result.parts, notes);
  const [first] = content;
  const plain = content.length === 1 && first?.type === "text" && first.cache_control === undefined;
  return {
    type: "tool_result",
    tool_use_id: fitToolId(result.callId, messagesToolIds),
    content: first === undefined ? undefined : plain ? first.text : content,
    is_error: result.isError,
    cache_control: encodeCache(result, notes),
  };
}

function encodeImageSource(source: Source, path: string): JsonObject {
  if (source.type === "data" && !imageTypes.has(source.mediaType)) {
    throw unsupportedParameter(path, "This provider takes images as JPEG, PNG, GIF or WebP.");
  }
  return encodeSource(source);
}

function encodeSource(source: Source): JsonObject {
  if (source.type === "url") return { type: "url", url: source.url };
  if (source.type === "file") return { type: "file", file_id: source.id };
  return { type: "base64", media_type: source.mediaType, data: source.base64 };
}

function encodeDocument(part: DocumentPart, path: string, cache_control: JsonObject | undefined): JsonObject {
  const { title, context, citations } = part;
  const about = { title, context, citations: citations === true ? { enabled: true } : undefined, cache_control };
  return { type: "document", source: encodeDocumentSource(part.source, path), ...about };
}

function encodeDocumentSource(source: DocumentPart["source"], path: string): JsonObject {
  if (source.type === "text") return { type: "text", media_type: "text/plain", data: source.text };
  if (source.type !== "data" || source.mediaType === "application/pdf") return encodeSource(source);
  if (source.mediaType.startsWith("text/") || source.mediaType === "application/json") {
    const data = Buffer.from(source.base64, "base64").toString();
    return { type: "text", media_type: "text/plain", data };
  }
  throw unsupportedParameter(path, "This provider takes documents as PDF or text.");
}

const nearestLifetime = { "5m": "5m", "30m": "1h", "1h": "1h", "12h": "1h" } as const;

/** A breakpoint, while the vendor takes more: four a request. */
export function encodeCache(
  { cache, path }: { readonly cache?: CacheBreakpoint | undefined; readonly path?: string | undefined },
  notes: BlockNotes,
): JsonObject | undefined {
  if (cache === undefined) return undefined;
  if (notes.breakpointsLeft === 0) {
    notes.warnings.push(path ?? "messages");
    return undefined;
  }
  notes.breakpointsLeft -= 1;
  return { type: "ephemeral", ttl: cache.lifetime === undefined ? undefined : nearestLifetime[cache.lifetime] };
}
