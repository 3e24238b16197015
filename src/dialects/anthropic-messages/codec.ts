import { messagesAnswerId } from "./answer-id.ts";
import type { DialectCodec } from "../codec.ts";
import { decodeMessagesRequest } from "./decode-request.ts";
import { decodeMessagesResponse } from "./decode-response.ts";
import { openMessagesStreamDecoder } from "./decode-stream.ts";
import { encodeMessagesRequest } from "./encode-request.ts";
import { encodeMessagesResponse } from "./encode-response.ts";
import { openMessagesStreamEncoder } from "./encode-stream.ts";
import { encodeMessagesError, readMessagesError } from "./errors.ts";
import { messagesQuirks, messagesSupportOf } from "./quirks.ts";
import { messagesSupport } from "./support.ts";

/** Anthropic Messages, to and from the neutral form. */
export const messagesCodec: DialectCodec = {
  name: "anthropic-messages",
  caller: {
    nearest: ["openai-responses", "openai-chat", "gemini"],
    decodeRequest: decodeMessagesRequest,
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
