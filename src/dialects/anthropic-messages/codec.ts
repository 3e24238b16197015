import { messagesAnswerId, encodeMessagesResponse } from "./answer/encode-response.ts";
import type { DialectCodec } from "../codec.ts";
import { messagesAttribution } from "./attribution.ts";
import { decodeMessagesRequest } from "./request/decode-request.ts";
import { decodeMessagesResponse } from "./answer/decode-response.ts";
import { openMessagesStreamDecoder } from "./answer/decode-stream.ts";
import { encodeMessagesRequest } from "./request/encode-request.ts";
import { openMessagesStreamEncoder } from "./answer/encode-stream.ts";
import { encodeMessagesError, readMessagesError } from "./errors.ts";
import { messagesQuirks, messagesSupportOf } from "./quirks.ts";
import { messagesSupport } from "./support.ts";

/** Anthropic Messages, to and from the neutral form. */
export const messagesCodec: DialectCodec = {
  name: "anthropic-messages",
  caller: {
    nearest: ["openai-responses", "openai-chat", "gemini"],
    decodeRequest: decodeMessagesRequest,
    attribution: messagesAttribution,
    answerId: messagesAnswerId,
    encodeResponse: encodeMessagesResponse,
    openStreamEncoder: openMessagesStreamEncoder,
    keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
    encodeError: encodeMessagesError,
  },
  provider: {
    supportTable: { column: messagesSupport, quirks: messagesQuirks },
    support: messagesSupportOf,
    encodeRequest: encodeMessagesRequest,
    decodeResponse: decodeMessagesResponse,
    openStreamDecoder: openMessagesStreamDecoder,
    decodeError: (body) => readMessagesError(body) ?? { message: null, type: null, code: null, param: null },
  },
};
