import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../json/values.ts";
import { fitTranscription } from "../../operations/transcription/fit-transcription.ts";
import type { TranscriptionCapabilities, TranscriptionProvider } from "../../operations/transcription/transcription.ts";
import { AnswerFault } from "../exchange.ts";
import { sentSound } from "../transcript/sent-sound.ts";
import { readSeconds, reportedSeconds, type TimedText, type Transcript } from "../transcript/transcript.ts";
import { transcriptExchange } from "../transcript/transcript-exchange.ts";
import { readDeepgramError } from "./errors.ts";

const capabilities: TranscriptionCapabilities = {
  formats: {
    json: carried,
    text: emulated("the text alone"),
    srt: emulated("the times of its words"),
    verbose_json: emulated("the times of its words"),
    vtt: emulated("the times of its words"),
    diarized_json: refused("The gateway has no speakers of Deepgram's transcripts."),
  },
  language: carried,
  prompt: ignored,
  temperature: ignored,
  granularities: carried,
  include: refused("Deepgram tells the confidence of words, and not the probability of tokens."),
  chunking: ignored,
  speakers: refused("Deepgram does not know speakers by samples in the request."),
  events: emulated("one event with the whole text"),
  translation: refused("Deepgram transcribes in the language of the sound only."),
  otherFields: ignored,
  // 2 GB, as Deepgram says.
  maxFileBytes: 2_000_000_000,
};

/** Puts a request to `/v1/listen`, whose body is the file itself. */
export const transcriptionProvider: TranscriptionProvider = {
  capabilities,
  exchange(request, model) {
    const warnings = fitTranscription(request, capabilities);
    const query = new URLSearchParams({ model, smart_format: "true" });
    // Deepgram takes all sound for English unless told.
    if (request.language === undefined) query.set("detect_language", "true");
    else query.set("language", request.language);
    const { contentType, size, stream } = sentSound(request);
    return transcriptExchange(request, {
      request: {
        dialect: "deepgram",
        method: "POST",
        path: `/v1/listen?${query.toString()}`,
        headers: { "content-type": contentType },
        body: { length: size, pieces: { [Symbol.asyncIterator]: () => stream()[Symbol.asyncIterator]() } },
      },
      warnings,
      readError: readDeepgramError,
      decode,
    });
  },
};

/** Reads `{"metadata":{"duration"},"results":{"channels":[{"alternatives":[...]}]}}`. Throws an `AnswerFault` for anything else. */
function decode(answer: unknown): Transcript {
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
    words: listOrEmpty(first.words).flatMap(readWord),
    usage: reportedSeconds(duration, { duration, channels: counted }),
  };
}

function readWord(word: unknown): TimedText[] {
  if (!isObject(word)) return [];
  const text = stringOrNull(word.punctuated_word) ?? stringOrNull(word.word);
  const start = readSeconds(word.start);
  const end = readSeconds(word.end);
  if (text === null || text === "" || start === null || end === null) return [];
  const { confidence } = word;
  const isProbability = typeof confidence === "number" && confidence > 0 && confidence <= 1;
  return [{ text, start, end, logprob: isProbability ? Math.log(confidence) : null }];
}
