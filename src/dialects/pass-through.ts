import { readFields, type SseEvent } from "../sse/event.ts";
import type { AnswerContext, DialectCodec } from "./codec.ts";
import type { AnswerStream, Exchange, UpstreamRequest } from "./exchange.ts";
import { observeEvents, observeResponse } from "./observe-events.ts";
import { openTranslatedCollector, readResponse, sayAsStream, streamManners } from "./through-neutral.ts";

/** One request whose caller and provider speak the same dialect. */
export interface PassThrough {
  readonly codec: DialectCodec;
  readonly request: UpstreamRequest;
  readonly context: AnswerContext;
  /** Whether this event is the last word of a good stream: held back until the record is durable. */
  readonly isLastWord: (data: string) => boolean;
}

const encoder = new TextEncoder();

/**
 * Hands bytes on as they are, up and down, while the dialect's own decoder looks on to measure the answer and to tell a
 * good one from a bad one.
 */
export function passThrough(passing: PassThrough): Exchange {
  const { codec, request, context } = passing;
  const { provider, caller } = codec;
  const ends = { caller, provider, context };
  return {
    request,
    warnings: [],
    readError: (body) => provider.decodeError(body),
    readWhole(body) {
      const observation = observeResponse(readResponse(provider, body), (id) => id ?? caller.answerId(id, context));
      return { body, observation };
    },
    openStream: () => openPassThroughStream(passing),
    wholeAsStream: (body) => sayAsStream(ends, body),
    openCollector: () => openTranslatedCollector(ends),
  };
}

function openPassThroughStream({ codec, context, isLastWord }: PassThrough): AnswerStream {
  const reader = codec.provider.openStreamDecoder();
  const writer = codec.caller.openStreamEncoder(context);
  // The bytes are not changed, so the caller sees the provider's own id, whatever its form.
  const observer = observeEvents((id) => id ?? codec.caller.answerId(id, context));
  let started = false;
  let lastWord: SseEvent | null = null;
  return {
    push(event) {
      const { data } = readFields(event);
      if (data === null) return event.bytes;
      for (const said of reader.push(data)) observer.see(said);
      started = true;
      if (!isLastWord(data)) return event.bytes;
      lastWord = event;
      return null;
    },
    end() {
      for (const said of reader.end()) observer.see(said);
      return null;
    },
    ...streamManners(codec.caller),
    terminator: () => lastWord?.bytes ?? null,
    fail: (error, requestId) => encoder.encode(writer.fail(error, requestId)),
    get started() {
      return started;
    },
    get finished() {
      return reader.finished;
    },
    observation: observer.observation,
  };
}
