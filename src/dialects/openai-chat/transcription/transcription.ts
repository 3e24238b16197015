import type { Operation } from "../../../operations/operation.ts";
import { checkTranscriptionModel, transcriptionCapabilities } from "../../../operations/transcription/check-model.ts";
import { estimateHeard, expectTranscription } from "../../../operations/transcription/expect-transcription.ts";
import { measureTranscription } from "../../../operations/transcription/measure-transcription.ts";
import type { TranscriptionRequest, TranscriptionTask } from "../../../operations/transcription/transcription.ts";
import { transcriptionExchange } from "../../../operations/transcription/transcription-exchange.ts";
import { openaiErrorFormat } from "../errors.ts";
import { readTranscriptionForm } from "./read-form.ts";

/** `POST /v1/audio/transcriptions`: what is said in a file, as a text with or without times, whole or as events. */
export const transcription = transcriptionOperation("audio_transcriptions", "/v1/audio/transcriptions", "transcribe");

/** `POST /v1/audio/translations`: the same in English, whatever its language. */
export const translation = transcriptionOperation("audio_translations", "/v1/audio/translations", "translate");

function transcriptionOperation(
  endpoint: string,
  path: string,
  task: TranscriptionTask,
): Operation<TranscriptionRequest> {
  return {
    endpoint,
    paths: [path],
    method: "POST",
    body: "multipart",
    keyHeader: null,
    errorFormat: openaiErrorFormat,
    read(body) {
      if (body.kind !== "multipart") throw new Error("This operation reads multipart bodies.");
      return readTranscriptionForm(body.form, task);
    },
    capabilities: transcriptionCapabilities,
    checkModel: checkTranscriptionModel,
    expectedUsage: expectTranscription,
    measure: measureTranscription,
    // The limit of sound is one of bytes, which `checkModel` knows.
    size: () => 0,
    estimateInput: estimateHeard,
    exchange: transcriptionExchange,
  };
}
