import type { Part } from "../../../conversation/parts.ts";
import type { TokenLogprob } from "../../../conversation/response.ts";
import type { JsonObject } from "../../../json/values.ts";
import { encodeAnnotations } from "./annotations.ts";
import { encodeImageItem } from "./image-item.ts";
import { encodeTokenLogprobs } from "../../fields/openai-logprobs.ts";
import { encodeReasoningItem } from "./reasoning.ts";
import { encodeSearchItem } from "./search-item.ts";
import { signatureFields } from "../signatures.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** The prefixes of item ids, by type of item. */
const prefixes = {
  text: "msg",
  refusal: "msg",
  reasoning: "rs",
  "tool-call": "fc",
  image: "ig",
  "web-search": "ws",
} as const;

/** An id no other item has: of its response's id, without prefix, and its place. */
export function itemIdOf(part: Part, responseId: string, outputIndex: number): string {
  const place = `${responseId.replace(/^resp_/, "")}${outputIndex.toString(16).padStart(4, "0")}`;
  if (part.type === "tool-call" && part.kind === "custom") return `ctc_${place}`;
  return part.type in prefixes ? `${prefixes[part.type as keyof typeof prefixes]}_${place}` : `item_${place}`;
}

/** A part as an output item; null if the dialect has none for it. */
export function encodeOutputItem(
  part: Part,
  id: string,
  status: ItemStatus,
  logprobs: readonly TokenLogprob[] = [],
): JsonObject | null {
  switch (part.type) {
    case "text":
    case "refusal": {
      const phase = part.type === "text" ? part.phase : undefined;
      return { id, type: "message", status, role: "assistant", content: [encodeTextContent(part, logprobs)], phase };
    }
    case "reasoning":
      return encodeReasoningItem(part, id);
    case "tool-call": {
      const { kind, name, namespace, input, signature } = part;
      const call =
        kind === "custom" ? { type: "custom_tool_call", input } : { type: "function_call", arguments: input };
      return { id, ...call, status, call_id: part.id, name, namespace, ...signatureFields(signature) };
    }
    case "image":
      return encodeImageItem(part, id);
    case "web-search":
      return encodeSearchItem(part, id);
    case "native":
      return part.vendor === "openai" && typeof part.value.type === "string" ? { id, ...part.value } : null;
    default:
      return null;
  }
}

/** A text or a refusal as the content of its message. */
export function encodeTextContent(
  part: Extract<Part, { type: "text" | "refusal" }>,
  logprobs: readonly TokenLogprob[] = [],
): JsonObject {
  if (part.type === "refusal") return { type: "refusal", refusal: part.text };
  return {
    type: "output_text",
    text: part.text,
    annotations: encodeAnnotations(part.citations),
    logprobs: encodeTokenLogprobs(logprobs, []),
    ...signatureFields(part.signature),
  };
}
