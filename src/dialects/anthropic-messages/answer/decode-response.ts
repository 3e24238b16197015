import type { Part } from "../../../conversation/parts.ts";
import type { ConversationResponse } from "../../../conversation/response.ts";
import { isObject, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeCitations } from "./citations.ts";
import { readMessagesError } from "../errors.ts";
import { decodeStopReason } from "./finish-reason.ts";
import { readMessagesUsage } from "../usage.ts";

/** Reads a whole message. Throws an `AnswerFault` if it is an error or none. */
export function decodeMessagesResponse(body: unknown): ConversationResponse {
  const error = readMessagesError(body);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(body) || !Array.isArray(body.content)) throw new AnswerFault("The provider's answer is not a message.");
  return {
    id: stringOrNull(body.id),
    model: stringOrNull(body.model),
    created: null,
    candidates: [{ parts: body.content.flatMap(decodeAnswerBlock), finish: decodeStopReason(body) }],
    usage: readMessagesUsage(body.usage),
    serviceTier: serviceTierOf(body.usage),
    native: nativeFields(body),
  };
}

export function serviceTierOf(usage: unknown): string | undefined {
  return isObject(usage) ? (stringOrNull(usage.service_tier) ?? undefined) : undefined;
}

const ownFields: ReadonlySet<string> = new Set(
  "id type role model content stop_reason stop_sequence stop_details usage".split(" "),
);

/** The remaining fields of a message, for callers of the same dialect. Nulls are left out. */
export function nativeFields(message: JsonObject): ConversationResponse["native"] {
  const fields = Object.entries(message).filter(([name, value]) => !ownFields.has(name) && value !== null);
  return fields.length === 0 ? undefined : { vendor: "anthropic", fields: Object.fromEntries(fields) };
}

/** An answer's block as a part; none if it is empty. Also reads the blocks that open a stream's parts. */
export function decodeAnswerBlock(block: unknown): Part[] {
  if (!isObject(block)) return [];
  switch (block.type) {
    case "text": {
      const text = stringOrNull(block.text) ?? "";
      const citations = decodeCitations(block.citations);
      return text === "" && citations === undefined ? [] : [{ type: "text", text, citations }];
    }
    case "thinking": {
      const value = stringOrNull(block.signature) ?? "";
      const signature = value === "" ? undefined : ({ vendor: "anthropic", value } as const);
      return [{ type: "reasoning", text: stringOrNull(block.thinking) ?? "", signature }];
    }
    case "redacted_thinking": {
      const value = stringOrNull(block.data) ?? "";
      return [{ type: "reasoning", text: "", signature: { vendor: "anthropic", value }, redacted: true }];
    }
    case "tool_use":
      return [
        {
          type: "tool-call",
          kind: "function",
          id: stringOrNull(block.id) ?? "",
          name: stringOrNull(block.name) ?? "",
          input: JSON.stringify(block.input ?? {}),
        },
      ];
    default:
      return [{ type: "native", vendor: "anthropic", value: block }];
  }
}
