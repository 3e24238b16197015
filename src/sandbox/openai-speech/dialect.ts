import type { Dialect } from "../dialect.ts";
import { only, openaiChat } from "../openai-chat/dialect.ts";
import { readSpeechCall } from "./speech-call.ts";

/** OpenAI's speech. */
export const openaiSpeech: Dialect = {
  ...openaiChat,
  name: "openai-speech",

  route(method, path) {
    if (path !== "/v1/audio/speech") return null;
    return only("POST", method, path, { kind: "generate", read: readSpeechCall });
  },
};
