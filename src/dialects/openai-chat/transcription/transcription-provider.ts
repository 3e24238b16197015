import { carried } from "../../../conversation/fields/support.ts";
import type { FormField } from "../../../multipart/form.ts";
import { formBody } from "../../../multipart/write-form.ts";
import type {
  TranscriptionCapabilities,
  TranscriptionProvider,
  TranscriptionRequest,
} from "../../../operations/transcription/transcription.ts";
import type { DialectName, Exchange } from "../../exchange.ts";
import { wholeOnly } from "../../exchanges/whole-only.ts";
import { sentSound } from "../../transcript/sent-sound.ts";
import { readInSteps } from "../../transcript/transcript-exchange.ts";
import { readError } from "../errors.ts";
import { readTranscript } from "./read-transcript.ts";
import { openTranscriptEvents } from "./transcript-events.ts";

const capabilities: TranscriptionCapabilities = {
  formats: {
    json: carried,
    text: carried,
    srt: carried,
    verbose_json: carried,
    vtt: carried,
    diarized_json: carried,
  },
  language: carried,
  prompt: carried,
  temperature: carried,
  granularities: carried,
  include: carried,
  chunking: carried,
  speakers: carried,
  events: carried,
  translation: carried,
  otherFields: carried,
  maxFileBytes: null,
};

/** Puts a request to a provider of the same shape: the form goes up as it was written, save the model's name. */
export function transcriptionProvider(dialect: DialectName): TranscriptionProvider {
  return {
    capabilities,
    exchange(request, model, isHidden): Exchange {
      const form = formBody([
        { name: "model", value: model },
        ...request.fields.map((field) => ({ name: field.writtenName, value: sentValue(field, request) })),
        { name: "file", ...sentSound(request) },
      ]);
      return {
        ...wholeOnly({
          request: {
            dialect,
            method: "POST",
            path: request.task === "translate" ? "/audio/translations" : "/audio/transcriptions",
            headers: { "content-type": form.contentType },
            body: form.body,
          },
          warnings: [],
          readError,
          readWhole: (body) => readTranscript(body, request.format),
        }),
        ...readInSteps(request, "openai", (body) => readTranscript(body, request.format)),
        openStream: () => openTranscriptEvents(isHidden),
      };
    },
  };
}

/**
 * The value of a field as it was written. Events are the same for texts and JSON, but a model that knows no events answers with
 * the one or the other, and only JSON says what it is.
 */
function sentValue({ name, value }: FormField, { stream, format }: TranscriptionRequest): string {
  return stream && name === "response_format" && format === "text" ? "json" : value;
}
