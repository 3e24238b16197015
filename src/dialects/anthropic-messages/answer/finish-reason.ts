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

/** Writes `stop_reason` and the fields that go with it. */
export function encodeStopReason({ reason, stopSequence, explanation, category }: Finish): JsonObject {
  const stop_reason = reason === "stop" && stopSequence !== undefined ? "stop_sequence" : encoded[reason];
  const explained = explanation !== undefined || category !== undefined;
  return {
    stop_reason,
    stop_sequence: stopSequence ?? null,
    ...(stop_reason === "refusal" && explained
      ? { stop_details: { type: "refusal", category: category ?? null, explanation: explanation ?? null } }
      : {}),
  };
}
