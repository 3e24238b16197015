import type { Part } from "../../../../conversation/parts.ts";
import type { Finish, FinishReason } from "../../../../conversation/response.ts";

const decoded: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  error: "error",
};

/**
 * Reads a `finish_reason`. Some servers say `stop` when tools are called: what the answer holds decides. A reason not
 * known here counts as an ordinary end.
 */
export function decodeFinishReason(reason: unknown, hasToolCalls: boolean): Finish {
  const known = (typeof reason === "string" ? decoded[reason] : undefined) ?? "stop";
  return { reason: known === "stop" && hasToolCalls ? "tool-calls" : known };
}

const encoded: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  pause: "stop",
  error: "stop",
  length: "length",
  "context-length": "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  refusal: "content_filter",
};

export function encodeFinishReason(finish: Finish): string {
  return encoded[finish.reason];
}

/** The text of `refusal` if the model declined without text, but its vendor gave a reason. */
export function explanationAsRefusal(finish: Finish, parts: readonly Part[]): string | null {
  if (finish.reason !== "refusal" && finish.reason !== "content-filter") return null;
  return parts.some((part) => part.type === "refusal") ? null : (finish.explanation ?? null);
}
