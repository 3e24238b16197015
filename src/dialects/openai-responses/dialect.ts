import type { Dialect } from "../dialect.ts";
import { readModelData } from "../model-list.ts";
import { embeddingsProvider } from "../openai-chat/embeddings.ts";
import { openaiErrorFormat } from "../openai-chat/errors.ts";
import { responsesCodec } from "./codec.ts";
import { compact } from "./compact.ts";
import { countTokens } from "./count-tokens.ts";
import { responses } from "./responses.ts";

/** OpenAI's Responses. */
export const openaiResponses: Dialect = {
  name: "openai-responses",
  title: "OpenAI Responses",
  defaultBaseUrl: "https://api.openai.com/v1",
  signing: { in: "header", header: (key) => ["authorization", `Bearer ${key}`] },
  modelList: { path: "/models", headers: {}, read: readModelData },
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  readError: (body) => responsesCodec.provider.decodeError(body),
  operations: [responses, compact, countTokens],
  provides: { conversation: responsesCodec, embeddings: embeddingsProvider("openai-responses") },
};
