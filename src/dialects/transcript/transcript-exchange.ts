import type { TranscriptionRequest } from "../../operations/transcription/transcription.ts";
import type { Exchange } from "../exchange.ts";
import { parseBody } from "../exchanges/through-neutral.ts";
import { wholeOnly } from "../exchanges/whole-only.ts";
import {
  largeTranscriptBytes,
  maxTranscriptBytes,
  readTranscriptInBackground,
  type TranscriptSource,
} from "./read-in-background.ts";
import type { Transcript } from "./transcript.ts";
import type { TranscriptAnswer } from "./transcript-answer.ts";
import { transcriptAsStream } from "./transcript-stream.ts";
import { writeTranscript } from "./write-transcript.ts";

/** An exchange whose answer is JSON of the provider's own, in one piece. */
export function transcriptExchange(
  asked: TranscriptionRequest,
  exchange: Pick<Exchange, "request" | "warnings" | "readError"> & {
    /** Reads the answer. Throws an `AnswerFault` if it has no transcript. */
    readonly decode: (answer: unknown) => Transcript;
    /** Whose answers may have the words of hours; null if they hold a text alone. */
    readonly source: TranscriptSource | null;
  },
): Exchange {
  const { request, warnings, readError, decode, source } = exchange;
  const readWhole = (body: Uint8Array) => writeTranscript(decode(parseBody(body)), asked);
  const whole = { request, warnings, readError };
  if (source === null) {
    return { ...wholeOnly({ ...whole, readWhole }), wholeAsStream: (body) => transcriptAsStream(readWhole(body)) };
  }
  return { ...wholeOnly({ ...whole, readWhole }), ...readInSteps(asked, source, readWhole) };
}

/** Reads answers of any size: large ones on a thread of its own. */
export function readInSteps(
  asked: TranscriptionRequest,
  source: TranscriptSource,
  readWhole: (body: Uint8Array) => TranscriptAnswer,
): Pick<Exchange, "maxAnswerBytes" | "isReadInSteps" | "readLarge" | "streamLarge"> {
  const { format, granularities, task, temperature, language } = asked;
  const form = { format, granularities, task, temperature, language, sound: { seconds: asked.sound.seconds } };
  const read = async (body: Uint8Array) =>
    body.length <= largeTranscriptBytes ? readWhole(body) : readTranscriptInBackground({ source, body, asked: form });
  return {
    maxAnswerBytes: maxTranscriptBytes,
    isReadInSteps: true,
    readLarge: read,
    streamLarge: async (body) => transcriptAsStream(await read(body)),
  };
}
