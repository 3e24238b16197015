import type { ImagePart, Part, ReasoningPart, TextPart, ToolCallPart } from "../../../conversation/parts.ts";
import { parseToolInput } from "../../../conversation/tool-calls.ts";
import type { JsonObject } from "../../../json/values.ts";
import { writeSignature } from "../signature.ts";

/** A whole part of an answer; null if there is nothing to write. */
export function encodeAnswerPart(part: Part): JsonObject | null {
  switch (part.type) {
    case "text":
      return part.text === "" && part.signature === undefined ? null : { text: part.text, ...signatureField(part) };
    case "refusal":
      return part.text === "" ? null : { text: part.text };
    case "reasoning": {
      const { text, signature } = part;
      return text === "" && signature === undefined ? null : { text, thought: true, ...signatureField(part) };
    }
    case "tool-call":
      return encodeAnswerCall(part);
    case "image":
      return encodeMedia(part.source, signatureField(part));
    case "audio":
    case "video":
      return encodeMedia(part.source, {});
    case "native":
      return part.vendor === "google" ? part.value : null;
    default:
      return null;
  }
}

/**
 * A function call; null if its arguments were cut short: client libraries run what they are given, and an empty
 * object in their place would be an invention.
 */
function encodeAnswerCall(part: ToolCallPart): JsonObject | null {
  const args = part.kind === "custom" ? { input: part.input } : parseToolInput(part.input);
  if (args === null) return null;
  return { functionCall: { id: part.id === "" ? undefined : part.id, name: part.name, args }, ...signatureField(part) };
}

function encodeMedia(source: ImagePart["source"], signature: JsonObject): JsonObject {
  if (source.type === "data") return { inlineData: { mimeType: source.mediaType, data: source.base64 }, ...signature };
  const fileUri = source.type === "url" ? source.url : source.id;
  return { fileData: { fileUri, mimeType: source.mediaType }, ...signature };
}

/** The fields beside a signed part. */
export function signatureField(part: TextPart | ReasoningPart | ToolCallPart | ImagePart): JsonObject {
  const { signature } = part;
  if (signature === undefined) return {};
  const { id, redacted } = part.type === "reasoning" ? part : { id: undefined, redacted: undefined };
  return { thoughtSignature: writeSignature({ signature, id, redacted }) };
}

/** The text in place of a call that was left out. */
export function cutCallMessage(part: ToolCallPart): string {
  return `The arguments of a call of the function '${part.name}' were cut short.`;
}

export function isCutCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.kind === "function" && parseToolInput(part.input) === null;
}
