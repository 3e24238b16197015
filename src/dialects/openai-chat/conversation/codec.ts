import { chatAnswerId } from "./answer/answer-id.ts";
import { errorEnvelope } from "../../../errors.ts";
import type { DialectCodec } from "../../codec.ts";
import { readError } from "../errors.ts";
import { observeCompletion } from "../whole.ts";
import { decodeChatRequest } from "./request/decode-request.ts";
import { decodeChatResponse } from "./answer/decode-response.ts";
import { openChatStreamDecoder } from "./answer/decode-stream.ts";
import { encodeChatRequest } from "./request/encode-request.ts";
import { encodeChatResponse } from "./answer/encode-response.ts";
import { openChatStreamEncoder } from "./answer/encode-stream.ts";
import { chatQuirks, chatSupportOf } from "./quirks.ts";
import { chatSupport } from "./support.ts";

/** Chat completions, to and from the neutral form. */
export const chatCodec: DialectCodec = {
  name: "openai-chat",
  caller: {
    nearest: ["openai-responses", "anthropic-messages", "gemini"],
    decodeRequest: decodeChatRequest,
    answerId: chatAnswerId,
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
    observeWhole: observeCompletion,
    decodeError: (body) => readError(body) ?? { message: null, type: null, code: null, param: null },
  },
};
