import type {
  DocumentPart,
  Part,
  ReasoningPart,
  Signature,
  Source,
  TextPart,
  ToolCallPart,
} from "../../../conversation/parts.ts";
import { parseToolInput } from "../../../conversation/tool-calls.ts";
import { invalidParameter, unsupportedParameter } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { GeminiProfile } from "../quirks.ts";
import { isYouTube } from "../media.ts";
import { unknownSignature } from "../signature.ts";

/** Writes the parts of a user's or the system's turn. Empty text is an error at Google, and is left out. */
export function encodeParts(parts: readonly Part[]): JsonObject[] {
  return parts.flatMap(encodePart);
}

/** Writes the parts of a model's turn. Of its calls the first must have a signature, if the model is of that kind. */
export function encodeModelParts(parts: readonly Part[], profile: GeminiProfile): JsonObject[] {
  const encoded = encodeParts(parts);
  const first = encoded.findIndex((part) => part.functionCall !== undefined);
  const call = encoded[first];
  if (!profile.needsSignatures || call === undefined || call.thoughtSignature !== undefined) return encoded;
  return encoded.with(first, { ...call, thoughtSignature: unknownSignature });
}

function encodePart(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part);
    case "reasoning":
      return encodeReasoning(part);
    case "tool-call":
      return [encodeFunctionCall(part)];
    case "document":
      return encodeDocument(part);
    case "image":
      return [{ ...encodeSource(part.source, part), thoughtSignature: googleSignature(part.signature) }];
    case "audio":
    case "video":
      return [encodeSource(part.source, part)];
    case "native":
      return part.vendor === "google" ? [part.value] : [];
    default:
      return [];
  }
}

function encodeText(part: TextPart | Extract<Part, { type: "refusal" }>): JsonObject[] {
  const thoughtSignature = part.type === "text" ? googleSignature(part.signature) : undefined;
  return part.text === "" && thoughtSignature === undefined ? [] : [{ text: part.text, thoughtSignature }];
}

/** Other vendors' sealed reasoning is unreadable for Google, and is left out with a warning. */
function encodeReasoning({ text, signature }: ReasoningPart): JsonObject[] {
  const isForeign = signature !== undefined && signature.vendor !== "google";
  if (isForeign || (text === "" && signature === undefined)) return [];
  return [{ text, thought: true, thoughtSignature: signature?.value }];
}

function googleSignature(signature: Signature | undefined): string | undefined {
  return signature?.vendor === "google" ? signature.value : undefined;
}

function encodeFunctionCall(part: ToolCallPart): JsonObject {
  const args = part.kind === "custom" ? { input: part.input } : parseToolInput(part.input);
  if (args === null) throw invalidParameter(part.path ?? "messages", "tool arguments that are a JSON object");
  return {
    functionCall: { id: part.id === "" ? undefined : part.id, name: part.name, args },
    thoughtSignature: googleSignature(part.signature),
  };
}

function encodeDocument(part: DocumentPart): JsonObject[] {
  const words = [part.title, part.context].filter((text) => text !== undefined && text !== "");
  return [...words.map((text) => ({ text })), encodeDocumentSource(part)];
}

export function encodeDocumentSource(part: DocumentPart): JsonObject {
  const { source } = part;
  if (source.type !== "text") return encodeSource(source, part);
  const data = Buffer.from(source.text, "utf8").toString("base64");
  return { inlineData: { mimeType: "text/plain", data } };
}

/** Bytes or an address that Gemini opens itself: its own files, and YouTube videos. */
export function encodeSource(source: Source, part: Part): JsonObject {
  if (source.type === "data") return { inlineData: { mimeType: source.mediaType, data: source.base64 } };
  if (source.type === "file") return { fileData: { fileUri: source.id, mimeType: source.mediaType } };
  if (!isYouTube(source.url)) {
    throw unsupportedParameter(part.path ?? "messages", "This provider takes media as data only, not by address.");
  }
  return { fileData: { fileUri: source.url, mimeType: source.mediaType } };
}
