import { errorEnvelope } from "../../errors.ts";
import { openaiAttribution } from "../openai-chat/attribution.ts";
import type { DialectCodec } from "../codec.ts";
import { decodeResponsesRequest } from "./request/decode-request.ts";
import { decodeResponsesResponse } from "./answer/decode-response.ts";
import { openResponsesStreamDecoder } from "./stream/decode-stream.ts";
import { encodeResponsesRequest } from "./request/encode-request.ts";
import { encodeResponsesResponse } from "./answer/encode-response.ts";
import { openResponsesStreamEncoder } from "./stream/encode-stream.ts";
import { decodeResponsesError } from "./errors.ts";
import { responsesQuirks, responsesSupportOf } from "./quirks.ts";
import { responseIdOf } from "./answer/response-object.ts";
import { responsesSupport } from "./support.ts";

/** The Responses API, to and from the neutral form. */
export const responsesCodec: DialectCodec = {
  name: "openai-responses",
  caller: {
    nearest: ["openai-chat", "anthropic-messages", "gemini"],
    decodeRequest: decodeResponsesRequest,
    attribution: openaiAttribution,
    answerId: responseIdOf,
    encodeResponse: (response, context) => encodeResponsesResponse(response, context),
    openStreamEncoder: (context) => openResponsesStreamEncoder(context),
    encodeError: errorEnvelope,
  },
  provider: {
    supportTable: { column: responsesSupport, quirks: responsesQuirks },
    support: responsesSupportOf,
    encodeRequest: encodeResponsesRequest,
    decodeResponse: decodeResponsesResponse,
    openStreamDecoder: openResponsesStreamDecoder,
    unreadMember: "logprobs",
    decodeError: decodeResponsesError,
  },
};
