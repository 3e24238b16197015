import type { Finish, FinishReason } from "../../../conversation/response.ts";
import { isObject, stringOrNull, type JsonObject } from "../../../json/values.ts";

const decoded: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "context-length",
  tool_use: "tool-calls",
  pause_turn: "pause",
  refusal: "refusal",
};

/** Reads `stop_reason` with the fields beside it. An unknown reason counts as an ordinary end. */
export function decodeStopReason({
  stop_reason: reason,
  stop_sequence: sequence,
  stop_details: details,
}: JsonObject): Finish {
  return {
    reason: (typeof reason === "string" ? decoded[reason] : undefined) ?? "stop",
    stopSequence: stringOrNull(sequence) ?? undefined,
    explanation: isObject(details) ? (stringOrNull(details.explanation) ?? undefined) : undefined,
    category: isObject(details) ? (stringOrNull(details.category) ?? undefined) : undefined,
  };
}

const encoded: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  error: "end_turn",
  length: "max_tokens",
  "context-length": "model_context_window_exceeded",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
  refusal: "refusal",
  pause: "pause_turn",
};

/** Anthropic's SDKs validate against these. */
const categories: ReadonlySet<string> = new Set([
  "bio",
  "cyber",
  "frontier_llm",
  "general_harms",
  "reasoning_extraction",
]);

/** Writes `stop_reason` and the fields that go with it. */
export function encodeStopReason(finish: Finish): JsonObject {
  const { reason, stopSequence } = finish;
  const stop_reason = reason === "stop" && stopSequence !== undefined ? "stop_sequence" : encoded[reason];
  const stop_details = stop_reason === "refusal" ? encodeDetails(finish) : null;
  return { stop_reason, stop_sequence: stopSequence ?? null, ...(stop_details === null ? {} : { stop_details }) };
}

/** Another vendor's category is part of the explanation. */
function encodeDetails({ explanation, category }: Finish): JsonObject | null {
  if (explanation === undefined && category === undefined) return null;
  if (category === undefined || categories.has(category)) {
    return { type: "refusal", category: category ?? null, explanation: explanation ?? null };
  }
  const explained = explanation === undefined ? category : `${explanation} (${category})`;
  return { type: "refusal", category: null, explanation: explained };
}
