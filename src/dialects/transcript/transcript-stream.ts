import { errorEnvelope, type GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import { dataEvent, sseComment, sseContentType } from "../../sse/event.ts";
import type { AnswerStream } from "../exchange.ts";
import { joined } from "../exchanges/event-reader.ts";
import type { TranscriptAnswer } from "./transcript-answer.ts";

/** A part of the text as OpenAI's event. */
export function deltaEvent(delta: string): Uint8Array {
  return dataEvent(JSON.stringify({ type: "transcript.text.delta", delta }));
}

/** The event that ends a transcript. */
export function doneEvent(text: string, usage: JsonObject | null): Uint8Array {
  return dataEvent(JSON.stringify({ type: "transcript.text.done", text, ...(usage && { usage }) }));
}

/** The form of a stream of transcript events, and how it tells that it has broken off. */
export const transcriptStreamForm = {
  contentType: sseContentType,
  keepAlive: sseComment,
  fail: (error: GatewayError, requestId: string) => dataEvent(JSON.stringify(errorEnvelope(error, requestId))),
} as const;

/**
 * A whole transcript as events, for providers that do not write it bit by bit: its text in one piece, and before it what each
 * speaker says, if it was asked for by speakers.
 */
export function transcriptAsStream({ text, shownUsage, observation, segments = [] }: TranscriptAnswer): {
  readonly bytes: Uint8Array;
  readonly stream: AnswerStream;
} {
  const stream: AnswerStream = {
    ...transcriptStreamForm,
    fault: null,
    started: true,
    finished: true,
    observation,
    push: () => null,
    end: () => null,
    terminator: () => doneEvent(text, shownUsage),
  };
  const said = segments.map((segment) => dataEvent(JSON.stringify(segment)));
  return { bytes: joined([...said, deltaEvent(text)]) ?? deltaEvent(text), stream };
}
