import { errorEnvelope } from "../../errors.ts";
import type { DialectCodec } from "../codec.ts";
import { decodeResponsesRequest } from "./decode-request.ts";
import { decodeResponsesResponse } from "./decode-response.ts";
import { openResponsesStreamDecoder } from "./decode-stream.ts";
import { encodeResponsesRequest } from "./encode-request.ts";
import { encodeResponsesResponse } from "./encode-response.ts";
import { openResponsesStreamEncoder } from "./encode-stream.ts";
import { decodeResponsesError } from "./errors.ts";
import { responsesQuirks, responsesSupportOf } from "./quirks.ts";
import { responseIdOf } from "./response-object.ts";
import { responsesSupport } from "./support.ts";

/** The Responses API, to and from the neutral form. */
export const responsesCodec: DialectCodec = {
  name: "openai-responses",
  caller: {
    nearest: ["openai-chat", "anthropic-messages", "gemini"],
    decodeRequest: decodeResponsesRequest,
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
    decodeError: decodeResponsesError,
  },
};
