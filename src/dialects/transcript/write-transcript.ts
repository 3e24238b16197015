import { deflateSync } from "node:zlib";
import type { ReportedUsage } from "../../conversation/usage.ts";
import { sumOf } from "../../dimensions.ts";
import type { JsonObject } from "../../json/values.ts";
import type { TranscriptionRequest } from "../../operations/transcription/transcription.ts";
import { languageName } from "./language-name.ts";
import { segmentsOf } from "./segments.ts";
import { speakerSegments } from "./speakers.ts";
import { writeSrt, writeVtt } from "./subtitles.ts";
import type { TimedText, Transcript } from "./transcript.ts";
import { plainText, type TranscriptAnswer } from "./transcript-answer.ts";

/** What the form of a transcript depends on. */
export type AskedTranscript = Pick<
  TranscriptionRequest,
  "format" | "granularities" | "task" | "temperature" | "language"
> & {
  readonly sound: Pick<TranscriptionRequest["sound"], "seconds">;
};

/** A transcript in the form that was asked for, made of what the provider tells. */
export function writeTranscript(transcript: Transcript, request: AskedTranscript): TranscriptAnswer {
  const { text, usage } = transcript;
  const shown = usage && shownUsage(usage);
  const facts = { text, shownUsage: shown, observation: { responseId: null, usage, producedText: () => text } };
  switch (request.format) {
    case "text":
      return { ...facts, contentType: plainText, body: `${text}\n` };
    case "srt":
      return { ...facts, contentType: plainText, body: writeSrt(segmentsOf(transcript)) };
    case "vtt":
      return { ...facts, contentType: plainText, body: writeVtt(segmentsOf(transcript)) };
    case "verbose_json":
      return { ...facts, body: JSON.stringify(verbose(transcript, request, shown)) };
    case "diarized_json": {
      const segments = speakerSegments(transcript);
      const duration = durationOf(transcript, request);
      const body = { task: request.task, duration, text, segments, ...(shown && { usage: shown }) };
      return { ...facts, segments, body: JSON.stringify(body) };
    }
    default:
      return { ...facts, body: JSON.stringify({ text, ...(shown && { usage: shown }) }) };
  }
}

function durationOf({ seconds, words }: Transcript, { sound }: AskedTranscript): number {
  return seconds ?? sound.seconds ?? words.at(-1)?.end ?? 0;
}

function verbose(transcript: Transcript, request: AskedTranscript, usage: JsonObject | null) {
  const { words, language, text } = transcript;
  const { granularities, task, temperature = 0 } = request;
  const hasSegments = granularities.length === 0 || granularities.includes("segment");
  return {
    task,
    language: task === "translate" ? "english" : languageName(language ?? request.language ?? ""),
    duration: durationOf(transcript, request),
    text,
    ...(granularities.includes("word") && { words: words.map((word) => ({ word: word.text, ...timesOf(word) })) }),
    ...(hasSegments && {
      segments: segmentsOf(transcript).map((segment, id) => writeSegment(segment, id, temperature)),
    }),
    ...(usage && { usage }),
  };
}

/**
 * A segment with all that OpenAI's has, which its SDKs need: what a provider does not tell is worked out as Whisper does, or
 * empty, or 0.
 */
function writeSegment(segment: TimedText, id: number, temperature: number) {
  const { text, start, logprob } = segment;
  const bytes = Buffer.from(text);
  return {
    id,
    // In hundredths of a second.
    seek: Math.round(start * 100),
    ...timesOf(segment),
    text,
    tokens: [],
    temperature,
    avg_logprob: logprob ?? 0,
    compression_ratio: bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length,
    no_speech_prob: 0,
  };
}

function timesOf({ start, end }: TimedText) {
  return { start, end };
}

/** Usage as OpenAI's transcripts have it. */
export function shownUsage({ quantities, parts }: ReportedUsage): JsonObject {
  if (quantities.second !== undefined) return { type: "duration", seconds: quantities.second };
  const input = sumOf(quantities, "token", "input");
  const output = sumOf(quantities, "token", "output");
  const audio = Math.min(input, parts?.input_audio ?? 0);
  return {
    type: "tokens",
    input_tokens: input,
    input_token_details: { text_tokens: input - audio, audio_tokens: audio },
    output_tokens: output,
    total_tokens: input + output,
  };
}
