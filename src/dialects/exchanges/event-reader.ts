import type { GatewayError } from "../../errors.ts";
import { createSseFramer, EventTooLarge, type SseFramer } from "../../sse/framing.ts";
import type { SseEvent } from "../../sse/event.ts";
import {
  AnswerFault,
  type AnswerCollector,
  type AnswerReader,
  type AnswerStream,
  type Observation,
  type WholeAnswer,
} from "../exchange.ts";

/**
 * Reads a provider's events one by one. `push` and `end` throw an `AnswerFault` if the provider breaks off or reports an
 * error; what they returned before stays valid.
 */
export interface EventReader {
  /** The caller's bytes for one event of the provider; null if there is nothing to send. */
  push(event: SseEvent): Uint8Array | null;
  /** The provider's stream has ended: the rest of the caller's bytes, less the terminator. Throws if it ended too early. */
  end(): Uint8Array | null;
  readonly started: boolean;
  readonly finished: boolean;
  readonly observation: Observation;
}

/** The bytes that a stream adds to the provider's events; see `AnswerStream`. */
export interface StreamEnds {
  readonly contentType: string;
  readonly keepAlive: Uint8Array | null;
  terminator(): Uint8Array | null;
  fail(error: GatewayError, requestId: string): Uint8Array;
}

export type EventStream = EventReader & StreamEnds;

export interface EventCollector extends EventReader {
  answer(): WholeAnswer;
}

/** An event that grows beyond this is no event. */
export const maxEventBytes = 8 << 20;

const blankLine = Buffer.from("\n\n");

/** Frames a provider's pieces into events and hands them to an `EventReader`. */
class FramedReader<Reader extends EventReader> implements AnswerReader {
  protected readonly events: Reader;
  readonly #framer: SseFramer;
  fault: AnswerFault | null = null;

  constructor(events: Reader, maxBytes = maxEventBytes) {
    this.events = events;
    this.#framer = createSseFramer(maxBytes);
  }

  get started(): boolean {
    return this.events.started;
  }

  get finished(): boolean {
    return this.events.finished;
  }

  get observation(): Observation {
    return this.events.observation;
  }

  push(piece: Uint8Array): Uint8Array | null {
    if (this.fault !== null || this.events.finished) return null;
    const passed: Uint8Array[] = [];
    this.#guard(() => {
      for (const event of this.#framer.push(piece)) {
        if (this.events.finished) break;
        keep(passed, this.events.push(event));
      }
    });
    return joined(passed);
  }

  end(): Uint8Array | null {
    if (this.fault !== null) return null;
    const passed: Uint8Array[] = [];
    this.#guard(() => {
      const rest = this.#framer.rest();
      // It is whole but for its blank line, without which it would run into what the gateway sends next.
      if (rest && !this.events.finished) {
        keep(passed, this.events.push({ bytes: Buffer.concat([rest.bytes, blankLine]) }));
      }
      keep(passed, this.events.end());
    });
    return joined(passed);
  }

  #guard(read: () => void): void {
    try {
      read();
    } catch (error) {
      this.fault = asAnswerFault(error);
    }
  }
}

class FramedStream extends FramedReader<EventStream> implements AnswerStream {
  get contentType(): string {
    return this.events.contentType;
  }

  get keepAlive(): Uint8Array | null {
    return this.events.keepAlive;
  }

  terminator(): Uint8Array | null {
    return this.events.terminator();
  }

  fail(error: GatewayError, requestId: string): Uint8Array {
    return this.events.fail(error, requestId);
  }
}

class FramedCollector extends FramedReader<EventCollector> implements AnswerCollector {
  answer(): WholeAnswer {
    return this.events.answer();
  }
}

/** A stream of events as the pipeline reads it: in pieces that may be cut anywhere. @param maxBytes of one event */
export function framedStream(events: EventStream, maxBytes?: number): AnswerStream {
  return new FramedStream(events, maxBytes);
}

/** The same for a stream that is gathered into a whole answer. */
export function framedCollector(events: EventCollector): AnswerCollector {
  return new FramedCollector(events);
}

/** The fault that a dialect or the framing found in an answer. Any other error is the gateway's own, and is thrown on. */
export function asAnswerFault(error: unknown): AnswerFault {
  if (error instanceof AnswerFault) return error;
  if (error instanceof EventTooLarge) return new AnswerFault(error.message);
  throw error;
}

function keep(pieces: Uint8Array[], bytes: Uint8Array | null): void {
  if (bytes !== null) pieces.push(bytes);
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array | null {
  const [first] = pieces;
  return pieces.length > 1 ? Buffer.concat(pieces) : (first ?? null);
}
