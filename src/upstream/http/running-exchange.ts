import type { ExchangeFailure, ExchangeListener, HttpExchange } from "./exchange.ts";
import type { RequestBody } from "../../http/request-body.ts";
import { largeText, streamText } from "./request/large-text.ts";
import type { Inflater } from "./answer/inflate.ts";
import type { Sweep } from "../../http/sweep.ts";

/** The carrier of an exchange: a connection. */
export interface Carrier {
  pause(): void;
  resume(): void;
  /** The exchange has been cancelled. */
  abandon(): void;
}

/** One request from `send` to its end, over whichever connections it takes. */
export class RunningExchange implements HttpExchange {
  deadlineAt = Infinity;
  place = -1;
  carrier: Carrier | null = null;
  ended = false;
  paused = false;
  /** Whether what has arrived must be digested before more is read. */
  congested = false;
  /** Takes the body off its compression, if it has one. */
  inflater: Inflater | null = null;
  /** Whether it was sent again after a kept connection broke without an answer. */
  repeated = false;
  readonly head: string;
  /** Null too once it has been written. */
  body: RequestBody;
  readonly listener: ExchangeListener;
  /** Whether it may be sent twice. Anything but GET and HEAD is not: the provider may have acted on it. */
  readonly repeatable: boolean;
  /** The max size of a decompressed body, in bytes. */
  readonly maxInflatedBytes: number;
  readonly sweep: Sweep;
  private toldDeadline = Infinity;

  constructor(head: string, body: RequestBody, listener: ExchangeListener, sweep: Sweep, maxInflatedBytes: number) {
    this.head = head;
    this.body = typeof body === "string" && body.length > largeText ? streamText(body) : body;
    this.listener = listener;
    this.repeatable = body === null && (head.startsWith("GET ") || head.startsWith("HEAD "));
    this.maxInflatedBytes = maxInflatedBytes;
    this.sweep = sweep;
    sweep.watch(this);
  }

  pause(): void {
    if (this.ended || this.paused) return;
    this.paused = true;
    this.inflater?.pause();
    this.carrier?.pause();
  }

  resume(): void {
    if (this.ended || !this.paused) return;
    this.paused = false;
    this.inflater?.resume();
    this.carrier?.resume();
  }

  cancel(): void {
    if (this.ended) return;
    const carrier = this.end();
    carrier?.abandon();
  }

  /** Marks it as ended and returns what carried it. */
  end(): Carrier | null {
    this.ended = true;
    this.sweep.unwatch(this);
    const { carrier } = this;
    this.carrier = null;
    this.body = null;
    this.inflater?.stop();
    this.inflater = null;
    return carrier;
  }

  fail(failure: ExchangeFailure): void {
    if (this.ended) return;
    this.end();
    this.listener.onFailure(failure);
  }

  expire(): void {
    if (this.deadlineAt === this.toldDeadline) return;
    this.toldDeadline = this.deadlineAt;
    this.listener.onDeadline();
  }
}
