import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import { formBody } from "../../multipart/write-form.ts";
import { fitTranscription } from "../../operations/transcription/fit-transcription.ts";
import type { TranscriptionCapabilities, TranscriptionProvider } from "../../operations/transcription/transcription.ts";
import { sentSound } from "../transcript/sent-sound.ts";
import { transcriptExchange } from "../transcript/transcript-exchange.ts";
import { decodeTranscript } from "./decode-transcript.ts";
import { readElevenLabsError } from "./errors.ts";

const capabilities: TranscriptionCapabilities = {
  formats: {
    json: carried,
    text: emulated("the text alone"),
    srt: emulated("the times of its words"),
    verbose_json: emulated("the times of its words"),
    vtt: emulated("the times of its words"),
    diarized_json: emulated("the speakers of its words"),
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
    const { language, temperature, format } = request;
    const form = formBody([
      { name: "model_id", value: model },
      { name: "timestamps_granularity", value: "word" },
      { name: "tag_audio_events", value: "false" },
      ...(format === "diarized_json" ? [{ name: "diarize", value: "true" }] : []),
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
      decode: decodeTranscript,
      source: "elevenlabs",
    });
  },
};
