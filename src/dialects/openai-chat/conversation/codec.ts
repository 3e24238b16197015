import { chatAnswerId, encodeChatResponse } from "./answer/encode-response.ts";
import { errorEnvelope } from "../../../errors.ts";
import type { DialectCodec } from "../../codec.ts";
import { openaiAttribution } from "../attribution.ts";
import { readError } from "../errors.ts";
import { decodeChatRequest } from "./request/decode-request.ts";
import { decodeChatResponse } from "./answer/decode-response.ts";
import { openChatStreamDecoder } from "./answer/decode-stream.ts";
import { encodeChatRequest } from "./request/encode-request.ts";
import { openChatStreamEncoder } from "./answer/encode-stream.ts";
import { chatQuirks, chatSupportOf } from "./quirks.ts";
import { chatSupport } from "./support.ts";
import { isObject, stringOrNull } from "../../../json/values.ts";
import { AnswerFault, type Observation } from "../../exchange.ts";
import { readUsage } from "../usage.ts";

/** Chat completions, to and from the neutral form. */
export const chatCodec: DialectCodec = {
  name: "openai-chat",
  caller: {
    nearest: ["openai-responses", "anthropic-messages", "gemini"],
    decodeRequest: decodeChatRequest,
    attribution: openaiAttribution,
    answerId: chatAnswerId,
    joinsTexts: true,
    encodeResponse: encodeChatResponse,
    openStreamEncoder: openChatStreamEncoder,
    encodeError: errorEnvelope,
  },
  provider: {
    supportTable: { column: chatSupport, quirks: chatQuirks },
    support: chatSupportOf,
    encodeRequest: encodeChatRequest,
    decodeResponse: decodeChatResponse,
    openStreamDecoder: openChatStreamDecoder,
    textPassesUnread: true,
    unreadMember: "logprobs",
    observeWhole: observeCompletion,
    decodeError: (body) => readError(body) ?? { message: null, type: null, code: null, param: null },
  },
};

/** Reads a whole chat completion for the record. Throws an `AnswerFault` if it is none. */
export function observeCompletion(completion: unknown): Pick<Observation, "responseId" | "usage"> {
  const error = readError(completion);
  if (error) throw new AnswerFault("The provider answered with an error.", error);
  if (!isObject(completion) || !Array.isArray(completion.choices)) {
    throw new AnswerFault("The answer is not a chat completion: it has no choices.");
  }
  return { responseId: stringOrNull(completion.id), usage: readUsage(completion.usage, completion.service_tier) };
}
