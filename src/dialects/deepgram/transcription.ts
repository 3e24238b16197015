import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import { fitTranscription } from "../../operations/transcription/fit-transcription.ts";
import type { TranscriptionCapabilities, TranscriptionProvider } from "../../operations/transcription/transcription.ts";
import { sentSound } from "../transcript/sent-sound.ts";
import { transcriptExchange } from "../transcript/transcript-exchange.ts";
import { decodeTranscript } from "./decode-transcript.ts";
import { readDeepgramError } from "./errors.ts";

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
    if (request.format === "diarized_json") query.set("diarize", "true");
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
      decode: decodeTranscript,
      source: "deepgram",
    });
  },
};
