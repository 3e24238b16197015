import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import { isObject, listOrEmpty, stringOrNull } from "../../json/values.ts";
import { formBody } from "../../multipart/write-form.ts";
import { fitTranscription } from "../../operations/transcription/fit-transcription.ts";
import type { TranscriptionCapabilities, TranscriptionProvider } from "../../operations/transcription/transcription.ts";
import { AnswerFault } from "../exchange.ts";
import { sentSound } from "../transcript/sent-sound.ts";
import { readSeconds, reportedSeconds, type TimedText, type Transcript } from "../transcript/transcript.ts";
import { transcriptExchange } from "../transcript/transcript-exchange.ts";
import { readElevenLabsError } from "./errors.ts";

const capabilities: TranscriptionCapabilities = {
  formats: {
    json: carried,
    text: emulated("the text alone"),
    srt: emulated("the times of its words"),
    verbose_json: emulated("the times of its words"),
    vtt: emulated("the times of its words"),
    diarized_json: refused("The gateway has no speakers of ElevenLabs' transcripts."),
  },
  language: carried,
  prompt: ignored,
  temperature: carried,
  granularities: carried,
  include: refused("ElevenLabs tells the probability of words, and not of tokens."),
  chunking: ignored,
  speakers: refused("ElevenLabs does not know speakers by samples in the request."),
  events: emulated("one event with the whole text"),
  translation: refused("ElevenLabs transcribes in the language of the sound only."),
  otherFields: ignored,
  maxFileBytes: null,
};

/** Puts a request to `/v1/speech-to-text`. */
export const transcriptionProvider: TranscriptionProvider = {
  capabilities,
  exchange(request, model) {
    const warnings = fitTranscription(request, capabilities);
    const { language, temperature } = request;
    const form = formBody([
      { name: "model_id", value: model },
      { name: "timestamps_granularity", value: "word" },
      { name: "tag_audio_events", value: "false" },
      ...(language === undefined ? [] : [{ name: "language_code", value: language }]),
      ...(temperature === undefined ? [] : [{ name: "temperature", value: String(temperature) }]),
      { name: "file", ...sentSound(request) },
    ]);
    return transcriptExchange(request, {
      request: {
        dialect: "elevenlabs",
        method: "POST",
        path: "/v1/speech-to-text",
        headers: { "content-type": form.contentType },
        body: form.body,
      },
      warnings,
      readError: readElevenLabsError,
      decode,
    });
  },
};

/** Reads `{"language_code","text","words","audio_duration_secs"}`. Throws an `AnswerFault` if there is no text. */
function decode(answer: unknown): Transcript {
  const error = readElevenLabsError(answer);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(answer) || typeof answer.text !== "string") throw new AnswerFault("The answer has no text.");
  const { text, language_code, audio_duration_secs } = answer;
  return {
    text,
    language: stringOrNull(language_code),
    seconds: readSeconds(audio_duration_secs),
    words: listOrEmpty(answer.words).flatMap(readWord),
    usage: reportedSeconds(audio_duration_secs, { audio_duration_secs }),
  };
}

/** Words alone: what is between them, and noises, are listed as well. */
function readWord(word: unknown): TimedText[] {
  if (!isObject(word) || word.type !== "word") return [];
  const text = stringOrNull(word.text)?.trim() ?? "";
  const start = readSeconds(word.start);
  const end = readSeconds(word.end);
  if (text === "" || start === null || end === null) return [];
  return [{ text, start, end, logprob: typeof word.logprob === "number" ? word.logprob : null }];
}
