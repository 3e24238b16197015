import { openCollector } from "../../conversation/collect.ts";
import { eventsOf } from "../../conversation/events-of.ts";
import type { ConversationResponse } from "../../conversation/response.ts";
import type { StreamEvent } from "../../conversation/stream.ts";
import { uniqueCallIds, withUniqueCallIds } from "../../conversation/unique-call-ids.ts";
import { parseExactly } from "../../json/exact-numbers.ts";
import { type JsonBounds, largeJsonBounds } from "../../json/structure.ts";
import { nextTurn } from "../../next-turn.ts";
import { readFields, sseComment, sseContentType } from "../../sse/event.ts";
import { escapeLineBreaks } from "../../sse/line-breaks.ts";
import { checkStructure } from "./bounded-json.ts";
import type { AnswerContext, CallerCodec, ProviderCodec } from "../codec.ts";
import { type EventCollector, type EventStream, framedCollector, framedStream } from "./event-reader.ts";
import { AnswerFault, type AnswerCollector, type AnswerStream } from "../exchange.ts";
import { EventObserver } from "./observe-events.ts";

/** Both ends of an answer that goes through the neutral form. */
export interface Ends {
  readonly caller: CallerCodec;
  readonly provider: ProviderCodec;
  readonly context: AnswerContext;
}

const encoder = new TextEncoder();
/** The text of a stream as its bytes. */
export const encodeStream = (stream: string) => encoder.encode(escapeLineBreaks(stream));
const decoder = new TextDecoder();

/** The JSON of a whole answer. Throws an `AnswerFault` if it is none, or too complex to be parsed. */
export function parseBody(
  body: Uint8Array,
  parse: (text: string) => unknown = JSON.parse,
  bounds?: JsonBounds,
): unknown {
  checkStructure(body, bounds);
  try {
    return parse(decoder.decode(body));
  } catch {
    throw new AnswerFault(body.length === 0 ? "The answer is empty." : "The answer is not valid JSON.");
  }
}

/** The same for a large answer, whose every step has a turn of its own. */
export async function parseLargeBody(
  body: Uint8Array,
  parse: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  checkStructure(body, largeJsonBounds);
  await nextTurn();
  const text = decoder.decode(body);
  await nextTurn();
  let parsed: unknown;
  try {
    parsed = await parse(text);
  } catch {
    throw new AnswerFault("The answer is not valid JSON.");
  }
  await nextTurn();
  return parsed;
}

/** Reads a whole answer of the provider's. Throws an `AnswerFault` if it is not one. */
export function readResponse(provider: ProviderCodec, body: Uint8Array): ConversationResponse {
  return withUniqueCallIds(provider.decodeResponse(parseBody(body, parseExactly)));
}

/** The form of a caller's streams. */
export function streamForm(caller: CallerCodec): Pick<AnswerStream, "contentType" | "keepAlive"> {
  return {
    contentType: caller.streamContentType ?? sseContentType,
    keepAlive: caller.keepAlive === undefined ? sseComment : encoder.encode(caller.keepAlive),
  };
}

/** A translated stream can also be given neutral events directly, if the provider sent a whole answer. */
interface TranslatedStream extends EventStream {
  write(events: readonly StreamEvent[]): string;
}

/** The provider's stream in the caller's dialect. */
export function openTranslatedStream(ends: Ends): AnswerStream {
  return framedStream(translatedStream(ends));
}

function translatedStream({ caller, provider, context }: Ends): TranslatedStream {
  const reader = provider.openStreamDecoder();
  const writer = caller.openStreamEncoder(context);
  const observer = new EventObserver((id) => caller.answerId(id, context));
  const withUniqueId = uniqueCallIds();
  let started = false;

  const write = (events: readonly StreamEvent[]): string => {
    let text = "";
    for (const event of events) {
      started = true;
      observer.see(event);
      text += writer.push(withUniqueId(event));
    }
    return text;
  };
  const asBytes = (text: string) => (text === "" ? null : encodeStream(text));

  return {
    write,
    push(event) {
      checkStructure(event.bytes);
      const { data } = readFields(event);
      return data === null ? null : asBytes(write(reader.push(data)));
    },
    end: () => asBytes(write(reader.end())),
    ...streamForm(caller),
    terminator: () => asBytes(writer.terminator()),
    fail: (error, requestId) => encodeStream(writer.fail(error, requestId)),
    get started() {
      return started;
    },
    get finished() {
      return reader.finished;
    },
    observation: observer,
  };
}

/** The provider's stream collected into a whole answer in the caller's dialect. */
export function openTranslatedCollector(ends: Ends): AnswerCollector {
  return framedCollector(translatedCollector(ends));
}

function translatedCollector({ caller, provider, context }: Ends): EventCollector {
  const reader = provider.openStreamDecoder();
  const collector = openCollector();
  const observer = new EventObserver((id) => caller.answerId(id, context));
  const withUniqueId = uniqueCallIds();
  const take = (events: readonly StreamEvent[]): null => {
    for (const event of events) {
      observer.see(event);
      collector.push(withUniqueId(event));
    }
    return null;
  };
  return {
    push(event) {
      checkStructure(event.bytes);
      const { data } = readFields(event);
      return data === null ? null : take(reader.push(data));
    },
    end: () => take(reader.end()),
    started: true,
    get finished() {
      return reader.finished;
    },
    observation: observer,
    answer: () => ({
      body: JSON.stringify(caller.encodeResponse(collector.response(), context)),
      observation: observer,
    }),
  };
}

/** A whole answer as a stream, all at once. */
export function writeAsStream(ends: Ends, body: Uint8Array): { bytes: Uint8Array; stream: AnswerStream } {
  const stream = translatedStream(ends);
  const bytes = encodeStream(stream.write(eventsOf(readResponse(ends.provider, body))));
  return { bytes, stream: framedStream(stream) };
}
