import { isObject } from "../../json/values.ts";
import type { Dialect } from "../dialect.ts";
import { type ListedModels, namesIn } from "../model-list.ts";
import { openaiErrorFormat } from "../openai-chat/errors.ts";
import { readDeepgramError } from "./errors.ts";
import { speechProvider } from "./speech.ts";
import { transcriptionProvider } from "./transcription.ts";

/** Deepgram, which only providers speak: its callers are those of OpenAI's audio. */
export const deepgram: Dialect = {
  name: "deepgram",
  title: "Deepgram",
  defaultBaseUrl: "https://api.deepgram.com",
  signing: { in: "header", header: (key) => ["authorization", `Token ${key}`] },
  modelList: { path: "/v1/models", headers: {}, read: readModels },
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  readError: readDeepgramError,
  operations: [],
  provides: { speech: speechProvider, transcription: transcriptionProvider },
};

/** Reads `{"stt":[{"canonical_name"}],"tts":[...]}`. */
function readModels(answer: unknown): ListedModels | null {
  if (!isObject(answer)) return null;
  const { stt, tts } = answer;
  if (!Array.isArray(stt) && !Array.isArray(tts)) return null;
  const items: unknown[] = [...(Array.isArray(stt) ? stt : []), ...(Array.isArray(tts) ? tts : [])];
  return { names: namesIn(items, "canonical_name"), isPartial: false };
}
