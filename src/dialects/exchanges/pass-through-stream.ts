import type { StreamEvent } from "../../conversation/stream.ts";
import type { GatewayError } from "../../errors.ts";
import { ownBytes } from "../../http/own-bytes.ts";
import { EventTemplate } from "../../sse/event-template.ts";
import { readFields, sseContentType, type SseEvent } from "../../sse/event.ts";
import { createSseFramer, type SseFramer } from "../../sse/framing.ts";
import { checkStructure } from "./bounded-json.ts";
import type { AnswerContext, DialectCodec, StreamDecoder } from "../codec.ts";
import { asAnswerFault, joined, maxEventBytes } from "./event-reader.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../exchange.ts";
import { type EventReading, KeptEvents, maxKeptBytes } from "./kept-events.ts";
import { EventObserver } from "./observe-events.ts";
import { streamForm } from "./through-neutral.ts";

/** The next step for an event that has been read: `hold` is for the last one, which is sent once the record is durable. */
export type Disposition = "pass" | "hold" | "drop";

/** How a dialect's streams pass through. */
export interface PassThroughForm {
  /** Of an event with data. Without it every event passes, and the end of the connection is the end of the stream. */
  readonly disposition?: (data: string, events: readonly StreamEvent[]) => Disposition;
  /** Another form of an event, if this caller is to have one. */
  readonly rewrite?: (event: SseEvent, disposition: Disposition) => Uint8Array;
  /** Ends a good stream, in place of the event that was held for it. */
  readonly terminator?: (held: Uint8Array | null) => Uint8Array | null;
  /** Tells that the stream broke off, in place of the codec's own way. */
  readonly fail?: (error: GatewayError, requestId: string) => Uint8Array;
  /** The id that this caller sees, if it is not the provider's own. */
  readonly answerId?: (providerId: string | null) => string;
  /** A whole answer for this caller, if it is to have another form. */
  readonly rewriteWhole?: (body: Uint8Array) => string;
}

/** The dialect of both sides, and how this caller's stream passes. */
interface Passing {
  readonly codec: DialectCodec;
  readonly context: AnswerContext;
  readonly form: PassThroughForm;
}

const encoder = new TextEncoder();
const blankLine = Buffer.from("\n\n");
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * A stream whose caller and provider speak the same dialect. Its bytes pass as they came, less the events that are held
 * or dropped. In dialects that allow it, an event that differs from earlier pieces of text in nothing but its strings is
 * not parsed.
 */
export class PassThroughStream implements AnswerStream, Observation {
  readonly #passing: Passing;
  readonly #answerId: (providerId: string | null) => string;
  readonly contentType: string;
  readonly keepAlive: Uint8Array | null;
  /** Reads the events that are parsed as they pass. */
  #decoder: StreamDecoder;
  #observer: EventObserver;
  /** Has read all events that are not kept: the same two, if every event is parsed. */
  #full: EventReading | null = null;
  /** Events that were not looked at. */
  readonly #kept = new KeptEvents();
  /** The beginning of an event whose end has not come yet. */
  #partial: Uint8Array[] = [];
  #partialBytes = 0;
  /** Set once lines turn out to end otherwise than by LF. */
  #framer: SseFramer | null = null;
  #held: Uint8Array | null = null;
  /** Whether the last event was dropped. */
  #hasDropped = false;
  /** The form of pieces of text; null if every event is to be parsed. */
  #text: EventTemplate | null;
  started = false;
  fault: AnswerFault | null = null;
  readonly observation: Observation = this;

  /** @param answerId gives the id that the caller sees for the provider's */
  constructor(passing: Passing, answerId: (providerId: string | null) => string) {
    const { codec, form } = passing;
    this.#passing = passing;
    this.#answerId = answerId;
    ({ contentType: this.contentType, keepAlive: this.keepAlive } = streamForm(codec.caller));
    this.#text = codec.provider.textPassesUnread === true && !form.rewrite ? new EventTemplate() : null;
    this.#decoder = codec.provider.openStreamDecoder();
    // The text is that of all events, of which it sees some.
    this.#observer = new EventObserver(answerId, this.#text === null);
    if (this.#text === null) this.#full = { decoder: this.#decoder, observer: this.#observer };
  }

  get responseId(): string | null {
    return this.#observer.responseId;
  }

  /** In a broken stream, only all of its events show which text the last count covers. */
  get usage(): Observation["usage"] {
    if (this.finished) return this.#observer.usage;
    const { observer } = this.#decodeKept();
    return (this.#kept.isBroken ? this.#observer : observer).usage;
  }

  producedText(): string {
    return this.#decodeKept().observer.producedText();
  }

  get producedLength(): number {
    return this.#decodeKept().observer.producedLength;
  }

  get finished(): boolean {
    return this.#decoder.finished;
  }

  push(piece: Uint8Array): Uint8Array | null {
    const passed = this.#pushPiece(piece);
    if (this.#kept.isFull) this.#decodeKept();
    return passed;
  }

  #pushPiece(piece: Uint8Array): Uint8Array | null {
    if (this.fault !== null || this.finished) return null;
    const bytes = asBuffer(piece);
    if (this.#framer === null && bytes.indexOf(carriageReturn) >= 0) {
      this.#framer = createSseFramer(maxEventBytes);
      return this.#pushFramed(this.#framer, this.#withPartial(bytes));
    }
    if (this.#framer !== null) return this.#pushFramed(this.#framer, bytes);
    if (this.#partial.length === 0) return this.#pushPlain(bytes);
    const last = this.#partial.at(-1);
    // An event may be large and come in many pieces: they are joined once, when its end is here.
    const hasEnd = bytes.indexOf(blankLine) >= 0 || (last?.at(-1) === lineFeed && bytes[0] === lineFeed);
    if (hasEnd) return this.#pushPlain(this.#withPartial(bytes));
    this.#keepPartial(bytes);
    return null;
  }

  end(): Uint8Array | null {
    if (this.fault !== null) return null;
    const passed: Uint8Array[] = [];
    try {
      const rest = this.#framer === null ? this.#withPartial(nothing) : (this.#framer.rest()?.bytes ?? null);
      // It is whole but for its blank line, without which it would run into what the gateway sends next.
      if (rest !== null && rest.length > 0 && !this.finished) this.#read(Buffer.concat([rest, blankLine]), passed);
      // Without a last event, every choice must have been seen to end.
      if (!this.finished) {
        const { decoder, observer } = this.#decodeKept();
        for (const event of decoder.end()) observer.see(event);
      }
    } catch (error) {
      this.fault = asAnswerFault(error);
    }
    return joined(passed);
  }

  terminator(): Uint8Array | null {
    const { terminator } = this.#passing.form;
    return terminator === undefined ? this.#held : terminator(this.#held);
  }

  fail(error: GatewayError, requestId: string): Uint8Array {
    const { codec, context, form } = this.#passing;
    if (form.fail) return form.fail(error, requestId);
    return encoder.encode(codec.caller.openStreamEncoder(context).fail(error, requestId));
  }

  /** Events end at an empty line; what lies between two events that are cut out is passed on as one slice. */
  #pushPlain(bytes: Buffer): Uint8Array | null {
    const passed: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    try {
      while (at < bytes.length && !this.finished) {
        let end = this.#text?.endOf(bytes, at) ?? -1;
        if (end < 0) {
          const blank = bytes.indexOf(blankLine, at);
          if (blank < 0) break;
          end = blank + 2;
          if (at > from) passed.push(this.#keep(bytes.subarray(from, at)));
          from = end;
          this.#read(bytes.subarray(at, end), passed);
        }
        at = end;
      }
    } catch (error) {
      this.fault = asAnswerFault(error);
      return joined(passed);
    }
    if (from === 0 && at === bytes.length) return this.#keep(bytes);
    if (at > from) passed.push(this.#keep(bytes.subarray(from, at)));
    if (at < bytes.length && !this.finished) this.#keepPartial(bytes.subarray(at));
    return joined(passed);
  }

  #keepPartial(bytes: Buffer): void {
    this.#partial.push(ownBytes(bytes));
    this.#partialBytes += bytes.length;
    if (this.#partialBytes > maxEventBytes) this.fault = new AnswerFault("An event of the provider is too large.");
  }

  #withPartial(bytes: Buffer): Buffer {
    if (this.#partial.length === 0) return bytes;
    const whole = Buffer.concat([...this.#partial, bytes]);
    this.#partial = [];
    this.#partialBytes = 0;
    return whole;
  }

  #pushFramed(framer: SseFramer, bytes: Uint8Array): Uint8Array | null {
    const passed: Uint8Array[] = [];
    try {
      for (const event of framer.push(bytes)) {
        if (this.finished) break;
        this.#read(event.bytes, passed);
      }
    } catch (error) {
      this.fault = asAnswerFault(error);
    }
    return joined(passed);
  }

  /** Parses one event, and hands on what the caller is to have of it. */
  #read(bytes: Uint8Array, passed: Uint8Array[]): void {
    checkStructure(bytes);
    if (bytes.length > maxKeptBytes) this.#parseAll();
    const { event: name, data } = readFields({ bytes });
    if (data === null) {
      // The second half of a CRLF that was cut in two goes the way of the first. Only event streams have comments.
      const isSent = !this.#hasDropped || bytes.length > 1;
      if (isSent && this.contentType === sseContentType) passed.push(bytes);
      this.#hasDropped = false;
      return;
    }
    const events = this.#decoder.push(data);
    for (const event of events) this.#observer.see(event);
    if (this.#text !== null && events.length > 0 && events.every(isText)) this.#text.learn(asBuffer(bytes));
    if (name === "error") throw new AnswerFault("The provider reported an error in its stream.");
    this.#keep(bytes);
    this.started = true;
    const disposition = this.#passing.form.disposition?.(data, events) ?? "pass";
    this.#hasDropped = disposition === "drop";
    if (this.#hasDropped) return;
    const written = this.#passing.form.rewrite?.({ bytes }, disposition) ?? bytes;
    if (disposition === "hold") this.#held = written;
    else passed.push(written);
  }

  /** Parses every event from here on, once: a large one would take twice as long by two decoders. */
  #parseAll(): void {
    if (this.#text === null) return;
    const { decoder, observer } = this.#decodeKept();
    if (this.#kept.isBroken) return;
    this.#decoder = decoder;
    this.#observer = observer;
    this.#text = null;
  }

  #keep(bytes: Uint8Array): Uint8Array {
    if (this.#text === null) return bytes;
    this.#kept.add(bytes);
    return bytes;
  }

  #decodeKept(): EventReading {
    this.#full ??= {
      decoder: this.#passing.codec.provider.openStreamDecoder(),
      observer: new EventObserver(this.#answerId),
    };
    this.#kept.decode(this.#full);
    return this.#full;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isText({ type }: StreamEvent): boolean {
  return type === "text-delta" || type === "input-delta";
}
