import type { Part } from "../../../conversation/parts.ts";
import type { Candidate, ConversationResponse, Finish, NativeFields } from "../../../conversation/response.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { AnswerContext } from "../../codec.ts";
import { encodeCitations, type CitedText } from "./citations.ts";
import { cutCallMessage, encodeAnswerPart, isCutCall } from "./encode-answer-part.ts";
import { encodeFinishReason } from "./finish-reason.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { writeGeminiUsage } from "../usage.ts";

/** Writes an answer as a GenerateContentResponse. */
export function encodeGeminiResponse(response: ConversationResponse, context: AnswerContext): JsonObject {
  const native = nativeOf(response.native);
  return {
    candidates: isBlocked(native) ? undefined : response.candidates.map(encodeCandidate),
    usageMetadata: response.usage === null ? undefined : writeGeminiUsage(response.usage),
    ...answerHead(response, context),
    ...native,
  };
}

export function nativeOf(native: NativeFields | undefined): JsonObject {
  return native?.vendor === "google" ? native.fields : {};
}

/** A prompt that Google blocked has no candidates. */
export function isBlocked(native: JsonObject): boolean {
  return isObject(native.promptFeedback) && native.promptFeedback.blockReason !== undefined;
}

/** The id that an answer has here. */
export function geminiAnswerId(providerId: string | null, context: Pick<AnswerContext, "fallbackId">): string {
  return providerId ?? context.fallbackId;
}

/** The fields of the whole answer that every chunk repeats. */
export function answerHead(
  { id, model, created }: Pick<ConversationResponse, "id" | "model" | "created">,
  context: AnswerContext,
): JsonObject {
  return {
    modelVersion: model ?? context.model,
    createTime: created === null ? undefined : new Date(created * 1_000).toISOString(),
    responseId: geminiAnswerId(id, context),
  };
}

function encodeCandidate({ parts, finish, logprobs }: Candidate, index: number): JsonObject {
  const cut = parts.find(isCutCall);
  return {
    content: contentOf(parts.map(encodeAnswerPart).filter((part) => part !== null)),
    ...encodeFinishReason(cut === undefined ? finish : cutFinish(finish, cutCallMessage(cut))),
    index,
    groundingMetadata: encodeCitations(citedTexts(parts), queriesOf(parts)),
    logprobsResult: encodeLogprobs(logprobs),
  };
}

/** A turn of the model's. Client libraries take one without parts for a failed turn, so there is always one. */
export function contentOf(parts: readonly JsonObject[]): JsonObject {
  return { parts: parts.length === 0 ? [{ text: "" }] : parts, role: "model" };
}

/** The finish of a candidate whose call was left out: never an ordinary one. */
export function cutFinish(finish: Finish, message: string): Finish {
  const explanation = finish.explanation ?? message;
  if (finish.reason !== "stop" && finish.reason !== "tool-calls") return { ...finish, explanation };
  return { reason: "error", category: "MALFORMED_FUNCTION_CALL", explanation };
}

/** The searches that succeeded. */
function queriesOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) =>
    part.type === "web-search" && part.outcome !== undefined && "pages" in part.outcome ? [part.query] : [],
  );
}

function citedTexts(parts: readonly Part[]): CitedText[] {
  return parts.flatMap((part) => (part.type === "text" ? [{ text: part.text, citations: part.citations ?? [] }] : []));
}
