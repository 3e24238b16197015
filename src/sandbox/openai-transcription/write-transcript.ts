import type { Heard, HeardWord } from "../sound/hear.ts";

/** What was asked for. */
export interface AskedTranscript {
  readonly task: "transcribe" | "translate";
  readonly format: string;
  readonly granularities: readonly string[];
}

/** A transcript as OpenAI writes it. @param usage undefined: none */
export function writeTranscript(heard: Heard, asked: AskedTranscript, usage: unknown): string {
  const { text, words, seconds } = heard;
  switch (asked.format) {
    case "text":
      return `${text}\n`;
    case "srt":
      return wholeOf(words)
        .map(({ start, end }) => `1\n${clock(start, ",")} --> ${clock(end, ",")}\n${text}\n\n`)
        .join("");
    case "vtt":
      return `WEBVTT\n\n${wholeOf(words)
        .map(({ start, end }) => `${clock(start, ".")} --> ${clock(end, ".")}\n${text}\n\n`)
        .join("")}`;
    case "verbose_json":
      return JSON.stringify({ ...verbose(heard, asked), usage });
    case "diarized_json":
      return JSON.stringify({ task: asked.task, duration: seconds, text, segments: diarized(heard), usage });
    default:
      return JSON.stringify({ text, usage });
  }
}

/** All words as one. */
function wholeOf(words: readonly HeardWord[]): readonly Pick<HeardWord, "start" | "end">[] {
  const [first] = words;
  return first === undefined ? [] : [{ start: first.start, end: words.at(-1)?.end ?? first.end }];
}

function verbose({ text, words, seconds }: Heard, { task, granularities }: AskedTranscript) {
  const hasSegments = granularities.length === 0 || granularities.includes("segment");
  return {
    task,
    language: "english",
    duration: seconds,
    text,
    ...(granularities.includes("word") && {
      words: words.map((word) => ({ word: word.text, start: word.start, end: word.end })),
    }),
    ...(hasSegments && {
      segments: wholeOf(words).map(({ start, end }) => ({
        id: 0,
        seek: 0,
        start,
        end,
        text: ` ${text}`,
        tokens: words.map((_, index) => 50_364 + index),
        temperature: 0,
        avg_logprob: -0.25,
        compression_ratio: 1,
        no_speech_prob: 0.01,
      })),
    }),
  };
}

function diarized({ text, words }: Heard) {
  return wholeOf(words).map((times) => ({
    type: "transcript.text.segment",
    id: "seg_001",
    ...times,
    text,
    speaker: "A",
  }));
}

function clock(seconds: number, point: string): string {
  const time = new Date(Math.round(seconds * 1_000)).toISOString().slice(11, 23);
  return point === "," ? time.replace(".", ",") : time;
}
