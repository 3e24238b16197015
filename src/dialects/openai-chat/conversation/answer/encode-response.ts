import { dataUrl } from "../../../../conversation/data-url.ts";
import type { ImagePart, Part, ToolCallPart } from "../../../../conversation/parts.ts";
import type { Candidate, ConversationResponse } from "../../../../conversation/response.ts";
import type { JsonObject } from "../../../../json/values.ts";
import type { AnswerContext } from "../../../codec.ts";
import { openaiServiceTier } from "../../../fields/openai-service-tier.ts";
import { encodeAnnotations } from "./annotations.ts";
import { encodeToolCall } from "../request/encode-messages.ts";
import { encodeFinishReason, explanationAsRefusal } from "./finish-reason.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { encodeReasoningDetails } from "../reasoning-details.ts";
import { sealDetails } from "../sealed-details.ts";
import { writeChatUsage } from "./write-usage.ts";

/** Writes an answer as a chat completion. */
export function encodeChatResponse(response: ConversationResponse, context: AnswerContext): JsonObject {
  return {
    id: chatAnswerId(response.id, context),
    object: "chat.completion",
    created: response.created ?? context.created,
    model: response.model ?? context.model,
    choices: response.candidates.map(encodeChoice),
    usage: response.usage === null ? undefined : writeChatUsage(response.usage),
    service_tier: openaiServiceTier(response.serviceTier),
    ...(response.native?.vendor === "openai" ? response.native.fields : {}),
  };
}

function encodeChoice({ parts, finish, logprobs }: Candidate, index: number): JsonObject {
  return {
    index,
    message: encodeMessage(parts, explanationAsRefusal(finish, parts)),
    logprobs: encodeLogprobs(logprobs),
    finish_reason: encodeFinishReason(finish),
  };
}

function encodeMessage(parts: readonly Part[], explanation: string | null): JsonObject {
  const text = joinText(parts);
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  const images = parts.filter((part): part is ImagePart => part.type === "image");
  const refusals = parts.flatMap((part) => (part.type === "refusal" ? [part.text] : []));
  const reasoning = parts.flatMap((part) => (part.type === "reasoning" && part.text !== "" ? [part.text] : []));
  const details = encodeReasoningDetails(parts);
  return {
    role: "assistant",
    content: text.content,
    refusal: refusals.length > 0 ? refusals.join("") : explanation,
    annotations: text.annotations.length === 0 ? undefined : text.annotations,
    reasoning_content: reasoning.length === 0 ? undefined : reasoning.join(""),
    reasoning_details: details.length === 0 ? undefined : details,
    tool_calls: calls.length === 0 ? undefined : calls.map((call, index) => encodeAnswerCall(call, index, details)),
    images: images.length === 0 ? undefined : images.map(encodeImage),
    audio: audioOf(parts),
    extra_content: extraOfText(parts),
  };
}

/** All text as one, as a message has one place for it; citations move with their text. */
function joinText(parts: readonly Part[]): { readonly content: string | null; readonly annotations: JsonObject[] } {
  let content: string | null = null;
  const annotations: JsonObject[] = [];
  for (const part of parts) {
    if (part.type !== "text") continue;
    annotations.push(...(encodeAnnotations(part.citations, content?.length ?? 0) ?? []));
    content = (content ?? "") + part.text;
  }
  return { content, annotations };
}

function encodeAnswerCall(call: ToolCallPart, index: number, details: readonly JsonObject[]): JsonObject {
  return { ...encodeToolCall(call), extra_content: extraOfCall(call, index, details) };
}

/** A call's own signature; the first call of a turn may carry the signatures of the reasoning before it instead. */
export function extraOfCall(call: ToolCallPart, index: number, details: readonly JsonObject[]): JsonObject | undefined {
  const own = extraContent(call);
  const sealed = own === undefined && index === 0 ? sealDetails(details) : null;
  return sealed === null ? own : { google: { thought_signature: sealed } };
}

/** The field in which Google's own compatibility layer has Gemini's signature. */
export function extraContent(part: Part): JsonObject | undefined {
  const signature = "signature" in part ? part.signature : undefined;
  return signature?.vendor === "google" ? { google: { thought_signature: signature.value } } : undefined;
}

function extraOfText(parts: readonly Part[]): JsonObject | undefined {
  const signed = parts.find((part) => part.type === "text" && part.signature?.vendor === "google");
  return signed === undefined ? undefined : extraContent(signed);
}

export function encodeImage({ source }: ImagePart): JsonObject {
  const url =
    source.type === "data" ? dataUrl(source.mediaType, source.base64) : source.type === "url" ? source.url : "";
  return { type: "image_url", image_url: { url } };
}

function audioOf(parts: readonly Part[]): unknown {
  for (const part of parts) if (part.type === "native" && part.vendor === "openai") return part.value.audio;
  return undefined;
}

/** The provider's id if it has the form of OpenAI's completion ids, else one of the gateway's own. */
export function chatAnswerId(providerId: string | null, context: Pick<AnswerContext, "fallbackId">): string {
  return providerId?.startsWith("chatcmpl-") === true ? providerId : `chatcmpl-${context.fallbackId}`;
}
