import { carried, emulated, ignored, refused } from "../../../conversation/fields/support.ts";
import { unsupportedParameter } from "../../../errors.ts";
import { fitTranscription } from "../../../operations/transcription/fit-transcription.ts";
import type {
  TranscriptionCapabilities,
  TranscriptionProvider,
} from "../../../operations/transcription/transcription.ts";
import { transcriptExchange } from "../../transcript/transcript-exchange.ts";
import { decodeGeminiError } from "../errors.ts";
import { modelPath } from "../fields.ts";
import { decodeTranscript } from "./decode-transcript.ts";
import { encodeTranscription } from "./encode-transcription.ts";
import { openTranscriptChunks } from "./transcript-chunks.ts";

const noTimes = refused("Gemini does not tell when words are said.");

const capabilities: TranscriptionCapabilities = {
  formats: {
    json: emulated("asking for the transcript"),
    text: emulated("asking for the transcript"),
    srt: noTimes,
    verbose_json: noTimes,
    vtt: noTimes,
    diarized_json: refused("Gemini does not tell who speaks when."),
  },
  language: emulated("words of the request"),
  prompt: emulated("words of the request"),
  temperature: carried,
  granularities: noTimes,
  include: refused("Gemini does not tell the probability of a transcript's tokens."),
  chunking: ignored,
  speakers: refused("Gemini does not know speakers by samples in the request."),
  events: emulated("its stream of text"),
  translation: emulated("asking for English"),
  otherFields: ignored,
  // In base64, and with the rest of the request, 20 MB, which is all that Google takes.
  maxFileBytes: 14_000_000,
};

/** Puts a request to `:generateContent` or its stream, with the sound within it. */
export const transcriptionProvider: TranscriptionProvider = {
  capabilities,
  exchange(request, model) {
    const warnings = fitTranscription(request, capabilities);
    if (request.sound.name === "unknown") {
      throw unsupportedParameter("file", "This provider takes sound of a known format: WAV, MP3, AAC, Ogg, FLAC, MP4.");
    }
    const exchange = transcriptExchange(request, {
      request: {
        dialect: "gemini",
        method: "POST",
        path: `${modelPath(model)}:${request.stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
        headers: { "content-type": "application/json" },
        body: encodeTranscription(request),
      },
      warnings,
      readError: decodeGeminiError,
      decode: decodeTranscript,
      source: null,
    });
    return { ...exchange, openStream: openTranscriptChunks };
  },
};
