import type { Part, Signature, ToolCallPart } from "../../../conversation/parts.ts";
import type { ConversationResponse, Finish } from "../../../conversation/response.ts";
import { parseToolInput } from "../../../conversation/tool-calls.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { AnswerContext } from "../../codec.ts";
import { AnswerFault } from "../../exchange.ts";
import { fitToolId } from "../../fields/tool-ids.ts";
import { imageAsText } from "./answer-image.ts";
import { encodeCitations } from "./citations.ts";
import { messagesToolIds } from "../request/encode-blocks.ts";
import { encodeStopReason } from "./finish-reason.ts";
import { encodeSearch } from "./web-search.ts";
import { sealSignature, type Seal } from "../sealed-signature.ts";
import { writeMessagesUsage } from "../usage.ts";
import { nothingReported } from "../../../conversation/usage.ts";

/** Writes an answer as a message. The dialect has one answer to a request: the first candidate. */
export function encodeMessagesResponse(response: ConversationResponse, context: AnswerContext): JsonObject {
  const [candidate] = response.candidates;
  const finish = candidate?.finish ?? { reason: "error" };
  return {
    id: messagesAnswerId(response.id, context),
    type: "message",
    role: "assistant",
    model: response.model ?? context.model,
    content: (candidate?.parts ?? []).filter((part) => !isCutCall(part, finish)).flatMap(encodeAnswerPart),
    ...encodeStopReason(finish),
    usage: {
      ...writeMessagesUsage(response.usage ?? nothingReported),
      service_tier: serviceTierOf(response.serviceTier),
    },
    ...(response.native?.vendor === "anthropic" ? response.native.fields : {}),
  };
}

const serviceTiers: Readonly<Record<string, string>> = {
  standard: "standard",
  default: "standard",
  priority: "priority",
  batch: "batch",
};

/** Anthropic's name of the service tier; undefined for tiers that Anthropic does not have. */
function serviceTierOf(tier: string | undefined): string | undefined {
  return tier === undefined ? undefined : serviceTiers[tier];
}

/** A part as blocks: its own, and one for a signature that its own has no place for. */
export function encodeAnswerPart(part: Part): JsonObject[] {
  if (part.type === "web-search") return encodeSearch(part);
  const block = encodeOwnBlock(part);
  if (block === null) return [];
  const foreign = foreignSignature(part);
  return foreign === undefined ? [block] : [sealedBlock({ signature: foreign, of: "next" }), block];
}

/** The signature of a part whose block has no place for one. */
export function foreignSignature(part: Part): Signature | undefined {
  return part.type === "text" || part.type === "tool-call" || part.type === "image" ? part.signature : undefined;
}

/** A block that callers hand back unread: it carries another vendor's signature through a tool loop. */
export function sealedBlock(seal: Seal): JsonObject {
  return { type: "redacted_thinking", data: sealSignature(seal) };
}

/** The part's own block; null if the dialect has none for it. */
export function encodeOwnBlock(part: Part): JsonObject | null {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, citations: encodeCitations(part.citations) };
    case "refusal":
      return { type: "text", text: part.text };
    case "reasoning": {
      const { text, signature, redacted, id } = part;
      const sealed = signature === undefined ? "" : sealSignature({ signature, id });
      if (redacted === true) return { type: "redacted_thinking", data: sealed };
      return { type: "thinking", thinking: text, signature: sealed };
    }
    case "tool-call":
      return { ...openingToolUse(part), input: part.kind === "custom" ? { input: part.input } : argumentsOf(part) };
    case "image": {
      const text = imageAsText(part);
      return text === null ? null : { type: "text", text: text.text };
    }
    case "native":
      return part.vendor === "anthropic" ? part.value : null;
    default:
      return null;
  }
}

/** A tool call before its input is known. */
export function openingToolUse({ id, name }: ToolCallPart): JsonObject {
  return { type: "tool_use", id: fitToolId(id, messagesToolIds), name, input: {} };
}

/** An agent acts on `input`: arguments that are not an object are never replaced. */
function argumentsOf(call: ToolCallPart): JsonObject {
  const input = parseToolInput(call.input);
  if (input === null) throw brokenArguments(call.name);
  return input;
}

export function brokenArguments(name: string): AnswerFault {
  const message = `The provider's call of the tool '${name}' has arguments that are not a JSON object.`;
  return new AnswerFault(message, null, true);
}

/** Whether the answer was truncated within this call. It is then left out, as the stop reason explains. */
function isCutCall(part: Part, finish: Finish): boolean {
  return part.type === "tool-call" && part.kind === "function" && isCut(finish) && parseToolInput(part.input) === null;
}

export function isCut({ reason }: Finish): boolean {
  return reason === "length" || reason === "context-length" || reason === "content-filter";
}

/** The provider's id if it has the form of Anthropic's message ids, else one of the gateway's own. */
export function messagesAnswerId(providerId: string | null, context: Pick<AnswerContext, "fallbackId">): string {
  return providerId?.startsWith("msg_") === true ? providerId : `msg_${context.fallbackId}`;
}
