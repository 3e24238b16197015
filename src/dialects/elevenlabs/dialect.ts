import type { Dialect } from "../dialect.ts";
import { namesIn } from "../model-list.ts";
import { openaiErrorFormat } from "../openai-chat/errors.ts";
import { readElevenLabsError } from "./errors.ts";
import { speechProvider } from "./speech.ts";
import { transcriptionProvider } from "./transcription.ts";

/** ElevenLabs, which only providers speak: its callers are those of OpenAI's audio. */
export const elevenlabs: Dialect = {
  name: "elevenlabs",
  title: "ElevenLabs",
  defaultBaseUrl: "https://api.elevenlabs.io",
  signing: { in: "header", header: (key) => ["xi-api-key", key] },
  modelList: {
    path: "/v1/models",
    headers: {},
    read: (answer) => (Array.isArray(answer) ? { names: namesIn(answer, "model_id"), isPartial: false } : null),
  },
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  readError: readElevenLabsError,
  operations: [],
  provides: { speech: speechProvider, transcription: transcriptionProvider },
};
