import type { Dialect } from "../dialect.ts";
import { only, openaiChat } from "../openai-chat/dialect.ts";
import { readTranscriptionCall } from "./transcription-call.ts";

const tasks: Readonly<Record<string, "transcribe" | "translate">> = {
  "/v1/audio/transcriptions": "transcribe",
  "/v1/audio/translations": "translate",
};

/** OpenAI's transcriptions and translations. */
export const openaiTranscription: Dialect = {
  ...openaiChat,
  name: "openai-transcription",

  route(method, path, headers) {
    const task = tasks[path];
    if (task === undefined) return null;
    const contentType = headers["content-type"] ?? "";
    return only("POST", method, path, {
      kind: "receive",
      read: (body) => readTranscriptionCall(body, contentType, task),
    });
  },
};
