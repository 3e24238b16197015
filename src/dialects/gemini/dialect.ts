import type { Dialect } from "../dialect.ts";
import { readGoogleModels } from "../model-list.ts";
import { geminiCodec } from "./codec.ts";
import { countTokens } from "./count-tokens-operation.ts";
import { embedContent } from "./embeddings/embed-content.ts";
import { embeddingsProvider } from "./embeddings/embeddings-provider.ts";
import { decodeGeminiError } from "./errors.ts";
import { imagesProvider } from "./images/images-provider.ts";
import { speechProvider } from "./speech/speech-provider.ts";
import { transcriptionProvider } from "./transcription/transcription-provider.ts";
import { videoProvider } from "./videos/video-provider.ts";
import { generateContent, geminiErrorFormat, streamGenerateContent } from "./generate-content.ts";

/** Google's generateContent and embedContent. */
export const gemini: Dialect = {
  name: "gemini",
  title: "Gemini generateContent",
  defaultBaseUrl: "https://generativelanguage.googleapis.com",
  signing: { in: "header", header: (key) => ["x-goog-api-key", key] },
  modelList: { path: "/v1beta/models?pageSize=1000", headers: {}, read: readGoogleModels },
  keyHeader: "x-goog-api-key",
  errorFormat: geminiErrorFormat,
  clients: { paths: ["/v1beta/"], header: "x-goog-api-client" },
  readError: decodeGeminiError,
  operations: [generateContent, streamGenerateContent, countTokens, embedContent],
  provides: {
    conversation: geminiCodec,
    embeddings: embeddingsProvider,
    speech: speechProvider,
    transcription: transcriptionProvider,
    images: imagesProvider,
    videos: videoProvider,
  },
};
