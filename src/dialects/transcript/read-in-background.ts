import { askThread } from "../../ask-thread.ts";
import type { ReportedUsage } from "../../conversation/usage.ts";
import type { TranscriptFormat } from "../../operations/transcription/transcription.ts";
import { AnswerFault, type ProviderError } from "../exchange.ts";
import type { TranscriptAnswer } from "./transcript-answer.ts";
import type { AskedTranscript } from "./write-transcript.ts";

/** Who has written an answer. OpenAI's, which its callers get as it is, is looked at only. */
export type TranscriptSource = "openai" | "deepgram" | "elevenlabs";

/** A message to the thread. */
export interface ReadTranscript {
  readonly source: TranscriptSource;
  readonly body: Uint8Array;
  readonly asked: AskedTranscript & { readonly format: TranscriptFormat };
}

/** Its answer. */
export type TranscriptReading =
  | (Omit<TranscriptAnswer, "observation" | "body"> & {
      /** Null: as it came. */
      readonly body: Uint8Array | null;
      readonly usage: ReportedUsage | null;
    })
  | { readonly fault: string; readonly providerError: ProviderError | null };

/** The bytes of an answer that is read: twice what the words of ten hours take. */
export const maxTranscriptBytes = 32 << 20;
/** A larger answer, in bytes, is not read on the event loop: it would hold it for more than some 20 milliseconds. */
export const largeTranscriptBytes = 256 << 10;

const patienceMs = 60_000;

/** One at a time, so that the memory of parsed answers is bounded. Those that wait are bounded as all answers are. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a large transcript on a thread of its own, and writes it in the form that was asked for. Its words and times are a
 * hundred thousand small values, which take a second. Rejects with an `AnswerFault` if it is none.
 */
export function readTranscriptInBackground(question: ReadTranscript): Promise<TranscriptAnswer> {
  const reading = last.then(() => readOnThread(question));
  last = reading.catch(() => undefined);
  return reading;
}

async function readOnThread(question: ReadTranscript): Promise<TranscriptAnswer> {
  const file = new URL("./transcript-thread.ts", import.meta.url);
  const reading = await askThread<TranscriptReading>(file, question, patienceMs);
  if ("fault" in reading) throw new AnswerFault(reading.fault, reading.providerError);
  const { body, usage, ...answer } = reading;
  const observation = { responseId: null, usage, producedText: () => answer.text };
  return { ...answer, body: body ?? question.body, observation };
}
