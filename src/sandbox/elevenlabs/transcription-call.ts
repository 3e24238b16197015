import type { Call } from "../dialect.ts";
import { readParts, textOfPart } from "../form.ts";
import type { Heard } from "../sound/hear.ts";
import { speakersOf } from "../sound/speakers.ts";
import { transcriptionCall } from "../sound/transcription-call.ts";
import { fieldError } from "./errors.ts";

/** The fields of a request, which the sandbox holds callers to. */
const parameters: ReadonlySet<string> = new Set([
  "model_id",
  "file",
  "language_code",
  "transcript_edit",
  "tag_audio_events",
  "num_speakers",
  "timestamps_granularity",
  "diarize",
  "diarization_threshold",
  "additional_formats",
  "file_format",
  "cloud_storage_url",
  "source_url",
  "webhook",
  "webhook_id",
  "webhook_metadata",
  "temperature",
  "seed",
  "use_multi_channel",
  "multichannel_output_style",
  "entity_detection",
  "entity_redaction",
  "entity_redaction_mode",
  "no_verbatim",
  "use_speaker_library",
  "detect_speaker_roles",
  "keyterms",
]);

/** Reads a request for a transcript. Throws ElevenLabs' error if it is invalid. */
export function readTranscriptionCall(body: Uint8Array, contentType: string): Call {
  const parts = readParts(body, contentType);
  if (parts === null) throw fieldError("file", "There was an error parsing the body");
  const unknown = parts.find(({ name }) => !parameters.has(name));
  if (unknown !== undefined) throw fieldError(unknown.name, "Extra inputs are not permitted");
  const value = (name: string) => {
    const part = parts.find((each) => each.name === name);
    return part && textOfPart(part);
  };
  const model = value("model_id");
  if (model === undefined) throw fieldError("model_id", "Field required");
  const file = parts.find(({ name, filename }) => name === "file" && filename !== null);
  if (file === undefined) throw fieldError("file", "Must provide either file or cloud_storage_url parameter.");
  const granularity = value("timestamps_granularity") ?? "word";
  if (!["none", "word", "character"].includes(granularity)) {
    throw fieldError("timestamps_granularity", "Input should be 'none', 'word' or 'character'");
  }
  const temperature = Number(value("temperature") ?? 0);
  if (!(temperature >= 0 && temperature <= 2)) {
    throw fieldError("temperature", "Input should be greater than or equal to 0 and less than or equal to 2");
  }
  const language = value("language_code");
  if (language !== undefined && !/^[a-z]{2,3}$/i.test(language)) {
    throw fieldError("language_code", "Input should be an ISO-639-1 or ISO-639-3 language code");
  }
  return transcriptionCall({
    model,
    sound: file.bytes,
    write: (heard) => JSON.stringify(write(heard, granularity === "none", value("diarize") === "true")),
  });
}

function write({ text, words, seconds }: Heard, isPlain: boolean, isDiarized: boolean) {
  const speakers = speakersOf(words);
  const timed = words.map((word, index) => ({
    ...word,
    type: "word",
    logprob: -0.1,
    speaker_id: `speaker_${isDiarized ? speakers[index] : 0}`,
  }));
  const spaces = timed.map(({ end, speaker_id }, index) => ({
    text: " ",
    start: end,
    end: timed[index + 1]?.start ?? end,
    type: "spacing",
    logprob: 0,
    speaker_id,
  }));
  const all = timed.flatMap((word, index) => (index < timed.length - 1 ? [word, spaces[index]] : [word]));
  return {
    language_code: "eng",
    language_probability: 0.98,
    text,
    words: isPlain ? [] : all,
    transcription_id: "sandbox",
    audio_duration_secs: seconds,
  };
}
