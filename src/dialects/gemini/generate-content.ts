import { conversationOperation, type ConversationDialect } from "../../operations/conversation.ts";
import type { ErrorFormat } from "../../operations/operation.ts";
import { addressIn, addressOf } from "./address.ts";
import { asJsonArray } from "./answer/stream-framing.ts";
import { geminiArrayCodec, geminiCodec } from "./codec.ts";
import { encodeGeminiError } from "./errors.ts";
import { modelPath } from "./fields.ts";
import { geminiFiles } from "./request/files.ts";

/** On Google's paths. */
export const geminiErrorFormat: ErrorFormat = { errorBody: encodeGeminiError, idHeader: "x-request-id" };

const configNames = ["generationConfig", "generation_config"];

const generating: Omit<ConversationDialect, "paths"> = {
  endpoint: "generate_content",
  codec: geminiCodec,
  files: geminiFiles,
  keyHeader: "x-goog-api-key",
  errorFormat: geminiErrorFormat,
  address: addressIn,
  callerCodec: ({ url }) => (addressOf(url)?.asEvents === false ? geminiArrayCodec : geminiCodec).caller,
  changeable: new Set(configNames),
  outputLimit: {
    within: configNames,
    names: ["maxOutputTokens", "max_output_tokens"],
  },
  upstream: ({ stream, text }, target) => ({
    dialect: "gemini",
    method: "POST",
    path: `${modelPath(target.model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    headers: { "content-type": "application/json" },
    body: text,
  }),
  // The end of the connection is the end of a stream.
  form: ({ caller }) => (caller === geminiArrayCodec.caller ? asJsonArray() : {}),
};

/** `POST /v1beta/models/{model}:generateContent`, and under `/v1` for newer SDKs. */
export const generateContent = conversationOperation({
  ...generating,
  paths: ["/v1beta/models/{model+}:generateContent", "/v1/models/{model+}:generateContent"],
});

/** `POST /v1beta/models/{model}:streamGenerateContent` */
export const streamGenerateContent = conversationOperation({
  ...generating,
  paths: ["/v1beta/models/{model+}:streamGenerateContent", "/v1/models/{model+}:streamGenerateContent"],
});
