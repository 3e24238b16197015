import { isObject, type JsonObject, stringOrNull } from "../../json/values.ts";
import { AnswerFault } from "../exchange.ts";
import { readWords, type ToldWord } from "../transcript/read-words.ts";
import { readSeconds, reportedSeconds, type Transcript } from "../transcript/transcript.ts";
import { readElevenLabsError } from "./errors.ts";

/** Reads `{"language_code","text","words","audio_duration_secs"}`. Throws an `AnswerFault` if there is no text. */
export function decodeTranscript(answer: unknown): Transcript {
  const error = readElevenLabsError(answer);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(answer) || typeof answer.text !== "string") throw new AnswerFault("The answer has no text.");
  const { text, language_code, audio_duration_secs } = answer;
  return {
    text,
    language: stringOrNull(language_code),
    seconds: readSeconds(audio_duration_secs),
    words: readWords(answer.words, tellWord),
    usage: reportedSeconds(audio_duration_secs, { audio_duration_secs }),
  };
}

/** Words alone: what is between them, and noises, are listed as well. */
function tellWord({ type, text, logprob, speaker_id }: JsonObject): ToldWord | null {
  if (type !== "word") return null;
  return {
    text: stringOrNull(text)?.trim() ?? null,
    logprob: typeof logprob === "number" ? logprob : null,
    speaker: stringOrNull(speaker_id),
  };
}
