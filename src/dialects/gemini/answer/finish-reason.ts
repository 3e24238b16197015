import type { Finish, FinishReason } from "../../../conversation/response.ts";

/** Reasons that say the answer was withheld. */
const withheld =
  "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION IMAGE_OTHER";
/** Reasons that say the model failed. */
const failed =
  "LANGUAGE OTHER MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS NO_IMAGE MALFORMED_RESPONSE";

const decoded = new Map<string, FinishReason>([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "length"],
  ...withheld.split(" ").map((reason) => [reason, "content-filter"] as const),
  ...failed.split(" ").map((reason) => [reason, "error"] as const),
]);

/**
 * Reads a `finishReason`. Google says STOP when functions are called: whether one was called anywhere in the answer
 * decides. Withheld and failed answers keep Google's own reason as their category.
 */
export function decodeFinishReason(reason: unknown, message: unknown, hasToolCalls: boolean): Finish {
  const word = typeof reason === "string" && reason !== "FINISH_REASON_UNSPECIFIED" ? reason : "STOP";
  const known = decoded.get(word) ?? "error";
  if (known === "stop") return { reason: hasToolCalls ? "tool-calls" : "stop" };
  if (known === "length") return { reason: known };
  return {
    reason: known,
    category: word,
    explanation: typeof message === "string" && message !== "" ? message : undefined,
  };
}

const encoded: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  pause: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "context-length": "MAX_TOKENS",
  "content-filter": "SAFETY",
  refusal: "SAFETY",
  error: "OTHER",
};

/** Writes `finishReason`, and `finishMessage` if there is more to say. */
export function encodeFinishReason({ reason, category, explanation }: Finish): {
  readonly finishReason: string;
  readonly finishMessage: string | undefined;
} {
  // Google's own reason, if the answer came with one of the same meaning.
  const own = category !== undefined && decoded.get(category) === reason ? category : undefined;
  return { finishReason: own ?? encoded[reason], finishMessage: explanation };
}
