import type { Dialect } from "../dialect.ts";
import { readModelData } from "../model-list.ts";
import { chat } from "./chat.ts";
import { completions } from "./completions/completions.ts";
import { chatCodec } from "./conversation/codec.ts";
import { embeddings, embeddingsProvider } from "./embeddings.ts";
import { openaiErrorFormat, readError } from "./errors.ts";
import { imagesEdits, imagesGenerations } from "./images/images.ts";
import { imagesProvider } from "./images/images-provider.ts";
import { speech } from "./speech/speech.ts";
import { speechProvider } from "./speech/speech-provider.ts";
import { transcription, translation } from "./transcription/transcription.ts";
import { transcriptionProvider } from "./transcription/transcription-provider.ts";
import { videoProvider } from "./videos/video-provider.ts";
import { createVideo, remixVideo } from "./videos/videos.ts";

/** OpenAI's chat completions, completions of texts, embeddings, sound, images and films, and every server that speaks them. */
export const openaiChat: Dialect = {
  name: "openai-chat",
  title: "OpenAI Chat Completions",
  defaultBaseUrl: "https://api.openai.com/v1",
  signing: { in: "header", header: (key) => ["authorization", `Bearer ${key}`] },
  modelList: { path: "/models", headers: {}, read: readModelData },
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  readError,
  operations: [
    chat,
    completions,
    embeddings,
    speech,
    transcription,
    translation,
    imagesGenerations,
    imagesEdits,
    createVideo,
    remixVideo,
  ],
  provides: {
    conversation: chatCodec,
    embeddings: embeddingsProvider("openai-chat"),
    speech: speechProvider("openai-chat"),
    transcription: transcriptionProvider("openai-chat"),
    images: imagesProvider("openai-chat"),
    videos: videoProvider("openai-chat"),
  },
};
