import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../json/values.ts";
import { AnswerFault } from "../exchange.ts";
import { readWords, type ToldWord } from "../transcript/read-words.ts";
import { readSeconds, reportedSeconds, type Transcript } from "../transcript/transcript.ts";
import { readDeepgramError } from "./errors.ts";

/** Reads `{"metadata":{"duration"},"results":{"channels":[{"alternatives":[...]}]}}`. Throws an `AnswerFault` for anything else. */
export function decodeTranscript(answer: unknown): Transcript {
  const error = readDeepgramError(answer);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  const results = isObject(answer) && isObject(answer.results) ? answer.results : {};
  const channels = listOrEmpty(results.channels).filter(isObject);
  const [first] = channels.map((channel) => listOrEmpty(channel.alternatives).find(isObject));
  if (!isObject(answer) || typeof first?.transcript !== "string")
    throw new AnswerFault("The answer has no transcript.");
  const { duration, channels: counted } = isObject(answer.metadata) ? answer.metadata : ({} satisfies JsonObject);
  const [detected] = channels.map((channel) => stringOrNull(channel.detected_language));
  return {
    text: first.transcript,
    language: detected ?? null,
    seconds: readSeconds(duration),
    words: readWords(first.words, tellWord),
    usage: reportedSeconds(duration, { duration, channels: counted }),
  };
}

function tellWord({ punctuated_word, word, confidence, speaker }: JsonObject): ToldWord {
  const isProbability = typeof confidence === "number" && confidence > 0 && confidence <= 1;
  return {
    text: stringOrNull(punctuated_word) ?? stringOrNull(word),
    logprob: isProbability ? Math.log(confidence) : null,
    speaker: typeof speaker === "number" ? String(speaker) : null,
  };
}
