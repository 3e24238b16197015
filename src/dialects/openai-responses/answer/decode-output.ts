import type { Part, RefusalPart, TextPart, ToolCallPart } from "../../../conversation/parts.ts";
import type { TokenLogprob } from "../../../conversation/response.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { decodeAnnotations } from "./annotations.ts";
import { decodeImageItem } from "./image-item.ts";
import { decodeTokenLogprobs } from "../../fields/openai-logprobs.ts";
import { decodeReasoningItem } from "./reasoning.ts";
import { readSignatureFields } from "../signatures.ts";

/** An answer's item as parts, leniently: what cannot be read is left out rather than the answer lost. */
export function decodeOutputItem(item: JsonObject): Part[] {
  switch (item.type) {
    case "message":
      return listOrEmpty(item.content).flatMap((content) =>
        isObject(content) ? decodeTextContent(content, item) : [],
      );
    case "reasoning": {
      const part = decodeReasoningItem(item);
      return part === null ? [] : [part];
    }
    case "function_call":
    case "custom_tool_call":
      return [decodeCall(item)];
    default:
      return typeof item.type === "string" ? [decodeWhole(item)] : [];
  }
}

/** One content of a message. Empty text is no part. */
export function decodeTextContent(content: JsonObject, message: JsonObject): (TextPart | RefusalPart)[] {
  if (content.type === "refusal") {
    const text = stringOrNull(content.refusal) ?? "";
    return text === "" ? [] : [{ type: "refusal", text }];
  }
  const text = stringOrNull(content.text) ?? "";
  if (text === "") return [];
  const citations = decodeAnnotations(content.annotations);
  const signature = readSignatureFields(content.extra_content);
  return [{ type: "text", text, citations, signature, phase: stringOrNull(message.phase) ?? undefined }];
}

export function decodeCall(item: JsonObject): ToolCallPart {
  const custom = item.type === "custom_tool_call";
  return {
    type: "tool-call",
    kind: custom ? "custom" : "function",
    id: stringOrNull(item.call_id) ?? "",
    name: stringOrNull(item.name) ?? "",
    input: stringOrNull(custom ? item.input : item.arguments) ?? "",
    signature: readSignatureFields(item.extra_content),
  };
}

/** Items that come in one piece: images, and what OpenAI's own tools did. */
export function decodeWhole(item: JsonObject): Part {
  const image = item.type === "image_generation_call" ? decodeImageItem(item) : null;
  return image ?? { type: "native", vendor: "openai", value: item };
}

/** The log probabilities of all an item's texts. */
export function logprobsOf(item: JsonObject): TokenLogprob[] {
  return listOrEmpty(item.content).flatMap((part) => (isObject(part) ? decodeTokenLogprobs(part.logprobs) : []));
}
