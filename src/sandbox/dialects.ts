import { anthropicMessages } from "./anthropic-messages/dialect.ts";
import { deepgram } from "./deepgram/dialect.ts";
import type { Dialect } from "./dialect.ts";
import { elevenlabs } from "./elevenlabs/dialect.ts";
import { fal } from "./fal/dialect.ts";
import { gemini } from "./gemini/dialect.ts";
import { madeFiles } from "./jobs/made-files.ts";
import { openaiChat } from "./openai-chat/dialect.ts";
import { openaiEmbeddings } from "./openai-embeddings/dialect.ts";
import { openaiImages } from "./openai-images/dialect.ts";
import { openaiSpeech } from "./openai-speech/dialect.ts";
import { openaiTranscription } from "./openai-transcription/dialect.ts";
import { openaiVideos } from "./openai-videos/dialect.ts";
import { openaiResponses } from "./openai-responses/dialect.ts";
import { replicate } from "./replicate/dialect.ts";
import { searchDialects } from "./search/vendors.ts";

/** All dialects of the sandbox. The first also answers paths that belong to none. */
export const dialects: readonly [Dialect, ...Dialect[]] = [
  openaiChat,
  openaiResponses,
  openaiEmbeddings,
  anthropicMessages,
  gemini,
  openaiSpeech,
  openaiTranscription,
  openaiImages,
  openaiVideos,
  elevenlabs,
  deepgram,
  fal,
  replicate,
  madeFiles,
  ...searchDialects,
];
