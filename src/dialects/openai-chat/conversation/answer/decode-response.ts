import { sourceOfUrl } from "../../../../conversation/data-url.ts";
import type { Part, TextPart } from "../../../../conversation/parts.ts";
import type { Candidate, ConversationResponse } from "../../../../conversation/response.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../../json/values.ts";
import { AnswerFault } from "../../../exchange.ts";
import { readError } from "../../errors.ts";
import { readUsage } from "../../usage.ts";
import { decodeAnnotations, googleSignature } from "../request/decode-messages.ts";
import { decodeFinishReason } from "./finish-reason.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { decodeReasoningDetails } from "../reasoning-details.ts";

/** Reads a whole chat completion. Throws an `AnswerFault` if it is an error or none. */
export function decodeChatResponse(body: unknown): ConversationResponse {
  const error = readError(body);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(body) || !Array.isArray(body.choices)) {
    throw new AnswerFault("The provider's answer is not a chat completion.");
  }
  const { id, object: _object, created, model, choices, usage, service_tier: tier, ...rest } = body;
  if (listOrEmpty(choices).length === 0) throw new AnswerFault("The provider's answer has no choices.");
  return {
    id: stringOrNull(id),
    model: stringOrNull(model),
    created: typeof created === "number" ? created : null,
    candidates: listOrEmpty(choices).map(decodeChoice),
    usage: readUsage(usage, tier),
    serviceTier: stringOrNull(tier) ?? undefined,
    native: nativeFields(rest),
  };
}

/** The remaining fields of an answer, for callers of the same vendor's dialects. Nulls are left out. */
export function nativeFields(rest: JsonObject): ConversationResponse["native"] {
  const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined));
  return Object.keys(fields).length === 0 ? undefined : { vendor: "openai", fields };
}

function decodeChoice(choice: unknown): Candidate {
  if (!isObject(choice) || !isObject(choice.message)) throw new AnswerFault("A choice of the answer has no message.");
  const parts = decodeMessage(choice.message);
  const hasCalls = parts.some((part) => part.type === "tool-call");
  return {
    parts,
    finish: decodeFinishReason(choice.finish_reason, hasCalls),
    logprobs: decodeLogprobs(choice.logprobs),
  };
}

/** An answer's message, leniently: what cannot be read is left out rather than the answer lost. */
function decodeMessage(message: JsonObject): Part[] {
  const parts = [...decodeTextParts(message), ...listOrEmpty(message.images).flatMap(decodeImage)];
  if (typeof message.refusal === "string" && message.refusal !== "")
    parts.push({ type: "refusal", text: message.refusal });
  if (isObject(message.audio)) parts.push({ type: "native", vendor: "openai", value: { audio: message.audio } });
  parts.push(...listOrEmpty(message.tool_calls).flatMap(decodeCall));

  const details = decodeReasoningDetails(message.reasoning_details);
  for (const { part, index } of details) parts.splice(index ?? 0, 0, part);
  const reasoning = stringOrNull(message.reasoning_content) ?? stringOrNull(message.reasoning) ?? "";
  if (details.length === 0 && reasoning !== "") parts.unshift({ type: "reasoning", text: reasoning });
  return parts;
}

function decodeTextParts(message: JsonObject): Part[] {
  const { content } = message;
  if (Array.isArray(content)) return content.flatMap(decodeContentItem);
  if (typeof content !== "string" || content === "") return [];
  const text: TextPart = {
    type: "text",
    text: content,
    citations: decodeAnnotations(message.annotations),
    signature: googleSignature(message.extra_content),
  };
  return [text];
}

/** Mistral's reasoning models answer with a list of text and thinking. */
export function decodeContentItem(item: unknown): Part[] {
  if (!isObject(item)) return [];
  if (typeof item.text === "string") return item.text === "" ? [] : [{ type: "text", text: item.text }];
  if (item.type !== "thinking") return [];
  const text = listOrEmpty(item.thinking)
    .map((inner) => (isObject(inner) ? (stringOrNull(inner.text) ?? "") : ""))
    .join("");
  return text === "" ? [] : [{ type: "reasoning", text }];
}

export function decodeImage(item: unknown): Part[] {
  const url = isObject(item) && isObject(item.image_url) ? stringOrNull(item.image_url.url) : null;
  return url === null ? [] : [{ type: "image", source: sourceOfUrl(url) }];
}

function decodeCall(call: unknown): Part[] {
  if (!isObject(call)) return [];
  const custom = call.type === "custom";
  const named = custom ? call.custom : call.function;
  if (!isObject(named)) return [];
  return [
    {
      type: "tool-call",
      kind: custom ? "custom" : "function",
      id: stringOrNull(call.id) ?? "",
      name: stringOrNull(named.name) ?? "",
      input: stringOrNull(custom ? named.input : named.arguments) ?? "",
      signature: googleSignature(call.extra_content),
    },
  ];
}
