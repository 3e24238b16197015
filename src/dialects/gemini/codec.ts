import type { AnswerContext, DialectCodec } from "../codec.ts";
import { geminiAttribution } from "./attribution.ts";
import { decodeGeminiRequest } from "./request/decode-request.ts";
import { decodeGeminiResponse } from "./answer/decode-response.ts";
import { openGeminiStreamDecoder } from "./answer/decode-stream.ts";
import { encodeGeminiRequest } from "./request/encode-request.ts";
import { encodeGeminiResponse, geminiAnswerId } from "./answer/encode-response.ts";
import { openGeminiStreamEncoder } from "./answer/encode-stream.ts";
import { decodeGeminiError, encodeGeminiError } from "./errors.ts";
import { geminiQuirks, geminiSupportOf } from "./quirks.ts";
import { geminiSupport } from "./support.ts";

/** Gemini's generateContent, to and from the neutral form. Streams are SSE, as callers ask with `alt=sse`. */
export const geminiCodec: DialectCodec = {
  name: "gemini",
  caller: {
    nearest: ["openai-responses", "openai-chat", "anthropic-messages"],
    decodeRequest: decodeGeminiRequest,
    attribution: geminiAttribution,
    answerId: geminiAnswerId,
    joinsTexts: true,
    encodeResponse: encodeGeminiResponse,
    openStreamEncoder: (context: AnswerContext) => openGeminiStreamEncoder(context, "sse"),
    encodeError: encodeGeminiError,
  },
  provider: {
    supportTable: { column: geminiSupport, quirks: geminiQuirks },
    support: geminiSupportOf,
    encodeRequest: encodeGeminiRequest,
    decodeResponse: decodeGeminiResponse,
    openStreamDecoder: openGeminiStreamDecoder,
    unreadMember: "logprobsResult",
    decodeError: decodeGeminiError,
  },
};

/** The same for callers who leave out `alt=sse`: their stream is one JSON array. */
export const geminiArrayCodec: DialectCodec = {
  ...geminiCodec,
  caller: {
    ...geminiCodec.caller,
    openStreamEncoder: (context: AnswerContext) => openGeminiStreamEncoder(context, "array"),
    streamContentType: "application/json",
    keepAlive: "\n",
  },
};
