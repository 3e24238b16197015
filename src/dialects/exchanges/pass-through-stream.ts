import type { StreamEvent } from "../../conversation/stream.ts";
import type { GatewayError } from "../../errors.ts";
import { ownBytes } from "../../http/own-bytes.ts";
import { EventTemplate } from "../../sse/event-template.ts";
import { readFields, sseContentType, type SseEvent } from "../../sse/event.ts";
import { createSseFramer, type SseFramer } from "../../sse/framing.ts";
import { checkStructure } from "./bounded-json.ts";
import type { DialectCodec, StreamDecoder } from "../codec.ts";
import { asAnswerFault, joined, maxEventBytes } from "./event-reader.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../exchange.ts";
import { observeEvents, type EventObserver } from "./observe-events.ts";

/** The next step for an event that has been read: `hold` is for the last one, which is sent once the record is durable. */
export type Disposition = "pass" | "hold" | "drop";

export interface PassThroughStreamOptions {
  readonly codec: DialectCodec;
  /** The id that the caller sees. */
  readonly answerId: (providerId: string | null) => string;
  /** @param events what the event says */
  readonly disposition: (data: string, events: readonly StreamEvent[]) => Disposition;
  /** Another form of an event, if this caller is to have one. Given every event that is read and not dropped. */
  readonly rewrite?: (event: SseEvent, disposition: Disposition) => Uint8Array;
  readonly contentType: string;
  readonly keepAlive: Uint8Array | null;
  /** The end of a good stream. @param held the event that was held for it; null if none came */
  readonly terminator: (held: Uint8Array | null) => Uint8Array | null;
  readonly fail: (error: GatewayError, requestId: string) => Uint8Array;
}

/**
 * Events that are not looked at are kept as bytes for an estimate of the produced tokens, up to this many; beyond it they
 * are decoded, so that a long stream holds little memory.
 */
const maxKeptBytes = 32 << 10;

const blankLine = Buffer.from("\n\n");
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * A stream whose caller and provider speak the same dialect. Its bytes pass as they came, less the events that are held
 * or dropped. In dialects that allow it, an event that differs from earlier pieces of text in nothing but its strings is
 * not parsed.
 */
export class PassThroughStream implements AnswerStream {
  readonly #options: PassThroughStreamOptions;
  /** Reads the events that are parsed as they pass. */
  #decoder: StreamDecoder;
  #observer: EventObserver;
  /** Has read all events that are not kept: the same two, if every event is parsed. */
  #full: { readonly decoder: StreamDecoder; readonly observer: EventObserver } | null = null;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** Set once a held event is broken: nothing is decoded from there on. */
  #isKeptBroken = false;
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
  readonly observation: Observation;

  constructor(options: PassThroughStreamOptions) {
    const { codec } = options;
    this.#options = options;
    this.#text = codec.provider.textPassesUnread === true && !options.rewrite ? new EventTemplate() : null;
    this.#decoder = codec.provider.openStreamDecoder();
    // The text is that of all events, of which it sees some.
    this.#observer = observeEvents(options.answerId, this.#text === null);
    if (this.#text === null) this.#full = { decoder: this.#decoder, observer: this.#observer };
    const responseId = () => this.#observer.observation.responseId;
    const usage = () => this.#usage();
    const producedLength = () => this.#decodeKept().observer.observation.producedLength ?? 0;
    this.observation = {
      get responseId() {
        return responseId();
      },
      get usage() {
        return usage();
      },
      producedText: () => this.#decodeKept().observer.observation.producedText(),
      get producedLength() {
        return producedLength();
      },
    };
  }

  get finished(): boolean {
    return this.#decoder.finished;
  }

  get contentType(): string {
    return this.#options.contentType;
  }

  get keepAlive(): Uint8Array | null {
    return this.#options.keepAlive;
  }

  push(piece: Uint8Array): Uint8Array | null {
    const passed = this.#pushPiece(piece);
    if (this.#keptBytes > maxKeptBytes) this.#decodeKept();
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
    return this.#options.terminator(this.#held);
  }

  fail(error: GatewayError, requestId: string): Uint8Array {
    return this.#options.fail(error, requestId);
  }

  /** Events end at an empty line; what lies between two events that are cut out is passed on as one slice. */
  #pushPlain(bytes: Buffer): Uint8Array | null {
    const passed: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    try {
      for (;;) {
        const blank = bytes.indexOf(blankLine, at);
        if (blank < 0 || this.finished) break;
        const end = blank + 2;
        if (this.#text?.fits(bytes, at, end) !== true) {
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
    if (at > from) passed.push(this.#keep(from === 0 && at === bytes.length ? bytes : bytes.subarray(from, at)));
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
      if (isSent && this.#options.contentType === sseContentType) passed.push(bytes);
      this.#hasDropped = false;
      return;
    }
    const events = this.#decoder.push(data);
    for (const event of events) this.#observer.see(event);
    if (this.#text !== null && events.length > 0 && events.every(isText)) this.#text.learn(asBuffer(bytes));
    if (name === "error") throw new AnswerFault("The provider reported an error in its stream.");
    this.#keep(bytes);
    this.started = true;
    const disposition = this.#options.disposition(data, events);
    this.#hasDropped = disposition === "drop";
    if (this.#hasDropped) return;
    const written = this.#options.rewrite?.({ bytes }, disposition) ?? bytes;
    if (disposition === "hold") this.#held = written;
    else passed.push(written);
  }

  /** Parses every event from here on, once: a large one would take twice as long by two decoders. */
  #parseAll(): void {
    if (this.#text === null) return;
    const { decoder, observer } = this.#decodeKept();
    if (this.#isKeptBroken) return;
    this.#decoder = decoder;
    this.#observer = observer;
    this.#text = null;
  }

  #keep(bytes: Uint8Array): Uint8Array {
    if (this.#text === null) return bytes;
    this.#kept.push(ownBytes(bytes));
    this.#keptBytes += bytes.length;
    return bytes;
  }

  /** In a broken stream, only all of its events show which text the last count covers. */
  #usage(): Observation["usage"] {
    if (this.finished) return this.#observer.observation.usage;
    const { observer } = this.#decodeKept();
    return (this.#isKeptBroken ? this.#observer : observer).observation.usage;
  }

  /** Decodes what is kept as bytes. An event that is broken ends it: nothing behind it was an answer. */
  #decodeKept() {
    this.#full ??= {
      decoder: this.#options.codec.provider.openStreamDecoder(),
      observer: observeEvents(this.#options.answerId),
    };
    const { decoder, observer } = this.#full;
    const kept = this.#kept;
    this.#kept = [];
    this.#keptBytes = 0;
    if (kept.length === 0 || this.#isKeptBroken) return this.#full;
    const framer = createSseFramer(maxEventBytes);
    try {
      for (const bytes of kept) {
        for (const event of framer.push(bytes)) {
          checkStructure(event.bytes);
          const { data } = readFields(event);
          if (data !== null) for (const said of decoder.push(data)) observer.see(said);
        }
      }
    } catch (error) {
      if (!(error instanceof AnswerFault)) throw error;
      this.#isKeptBroken = true;
    }
    return this.#full;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isText({ type }: StreamEvent): boolean {
  return type === "text-delta" || type === "input-delta";
}
