/** The thread behind `read-in-background.ts`. */

import { threadJsonBounds } from "../../json/structure.ts";
import { decodeTranscript as decodeDeepgram } from "../deepgram/decode-transcript.ts";
import { decodeTranscript as decodeElevenLabs } from "../elevenlabs/decode-transcript.ts";
import { AnswerFault } from "../exchange.ts";
import { parseBody } from "../exchanges/through-neutral.ts";
import { readTranscript } from "../openai-chat/transcription/read-transcript.ts";
import type { ReadTranscript, TranscriptReading } from "./read-in-background.ts";
import type { TranscriptAnswer } from "./transcript-answer.ts";
import { writeTranscript } from "./write-transcript.ts";

globalThis.addEventListener("message", ({ data }: MessageEvent<ReadTranscript>) => postMessage(answer(data)));

function answer(question: ReadTranscript): TranscriptReading {
  try {
    const { observation, body, ...shown } = read(question);
    const written = typeof body === "string" ? Buffer.from(body) : body;
    return { ...shown, body: written === question.body ? null : written, usage: observation.usage };
  } catch (error) {
    if (error instanceof AnswerFault) return { fault: error.message, providerError: error.providerError };
    throw error;
  }
}

function read({ source, body, asked }: ReadTranscript): TranscriptAnswer {
  if (source === "openai") return readTranscript(body, asked.format, threadJsonBounds);
  const decode = source === "deepgram" ? decodeDeepgram : decodeElevenLabs;
  return writeTranscript(decode(parseBody(body, JSON.parse, threadJsonBounds)), asked);
}
