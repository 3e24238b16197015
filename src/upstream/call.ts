import type { Channel } from "./channel.ts";
import { UpstreamFault } from "./fault.ts";
import type { ExchangeFailure, ExchangeListener, HttpClient, HttpExchange, ResponseHeaders } from "./http/exchange.ts";
import type { RequestBody } from "../http/request-body.ts";
import type { Timeouts } from "./provider.ts";

/** Receives what comes of a call, synchronously. `onEnd` or `onFault` is the last. */
export interface CallListener {
  /** The head of the answer is here: `call.status` and `call.headers`. */
  onHead(): void;
  /** A piece of the body. The listener may keep it. */
  onBytes(bytes: Uint8Array): void;
  onEnd(): void;
  onFault(fault: UpstreamFault): void;
}

/** The clock and the client that calls are made with. */
export interface CallTools {
  readonly client: HttpClient;
  /** Milliseconds that never step back or jump. */
  readonly now: () => number;
}

type Stage = "connect_timeout" | "first_byte_timeout" | "idle_timeout";

/**
 * One call to a provider, within four time limits: connection, first byte, silence between two pieces, and the whole.
 * While the call is paused, because the caller takes nothing, no limit of the provider's runs; a pause as long as the
 * whole call may take ends it with the fault `reader_stalled`, which is the caller's.
 */
export class UpstreamCall implements ExchangeListener {
  readonly #listener: CallListener;
  readonly #timeouts: Timeouts;
  readonly #now: () => number;
  readonly #exchange: HttpExchange;
  readonly sentAt: number;
  #endsAt: number;
  #stage: Stage = "connect_timeout";
  #pausedAt = 0;
  #isPaused = false;
  /** `endWithin` has set a bound that is less than the provider's own. */
  #isCutShort = false;
  #isOver = false;
  status = 0;
  headers: ResponseHeaders = noHeaders;

  /** @param head as `channel.head` gives it */
  constructor(tools: CallTools, channel: Channel, head: string, body: RequestBody, listener: CallListener) {
    const { timeouts } = channel.provider;
    this.#listener = listener;
    this.#timeouts = timeouts;
    this.#now = tools.now;
    this.sentAt = tools.now();
    this.#endsAt = this.sentAt + timeouts.totalMs;
    this.#exchange = tools.client.send(channel.origin, head, body, this);
    this.#limit(this.sentAt + Math.min(timeouts.connectMs, timeouts.firstByteMs));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** A connection was there to send the request on: the provider may have got it. */
  get isSent(): boolean {
    return this.#stage !== "connect_timeout";
  }

  /** The answer itself has begun: from now on silence is judged, no longer a slow first byte. */
  answerBegun(): void {
    if (this.#stage === "idle_timeout") return;
    this.#stage = "idle_timeout";
    if (!this.#isPaused) this.#limit(this.#now() + this.#timeouts.idleMs);
  }

  /** Stops reading from the provider until `resume`. */
  pause(): void {
    if (this.#isPaused || this.#isOver) return;
    this.#isPaused = true;
    this.#pausedAt = this.#now();
    this.#exchange.pause();
    this.#exchange.deadlineAt = this.#pausedAt + this.#timeouts.totalMs;
  }

  resume(): void {
    if (!this.#isPaused || this.#isOver) return;
    const now = this.#now();
    this.#isPaused = false;
    this.#endsAt += now - this.#pausedAt;
    this.#limit(
      this.#stage === "idle_timeout" ? now + this.#timeouts.idleMs : this.sentAt + this.#timeouts.firstByteMs,
    );
    this.#exchange.resume();
  }

  /**
   * Bounds how much longer the rest of an answer is read that no caller waits for. If the bound passes, the fault is
   * `reader_stalled`.
   */
  endWithin(milliseconds: number): void {
    // A pause that ends lengthens the call, and so comes first.
    this.resume();
    const endsAt = this.#now() + milliseconds;
    if (endsAt < this.#endsAt) {
      this.#endsAt = endsAt;
      this.#isCutShort = true;
    }
    this.#limit(this.#endsAt);
  }

  /** Ends the call without further events to its listener. No effect if it is over. */
  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#exchange.cancel();
  }

  onSent(): void {
    if (this.#stage !== "connect_timeout") return;
    this.#stage = "first_byte_timeout";
    this.#limit(this.sentAt + this.#timeouts.firstByteMs);
  }

  onHead(status: number, headers: ResponseHeaders): void {
    if (this.#isOver) return;
    if (this.#stage === "connect_timeout") this.#stage = "first_byte_timeout";
    this.status = status;
    this.headers = headers;
    this.#limit(this.sentAt + this.#timeouts.firstByteMs);
    this.#listener.onHead();
  }

  onBytes(bytes: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#stage === "idle_timeout" && !this.#isPaused) this.#limit(this.#now() + this.#timeouts.idleMs);
    this.#listener.onBytes(bytes);
  }

  onEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd();
  }

  onFailure({ kind, message, code }: ExchangeFailure): void {
    if (this.#isOver) return;
    this.#fail(new UpstreamFault(kind === "invalid" ? "invalid_response" : kind, message, { code }));
  }

  onDeadline(): void {
    if (this.#isOver) return;
    const now = this.#now();
    const hasEnded = now >= this.#endsAt;
    if (this.#isPaused || (hasEnded && this.#isCutShort)) {
      this.#exchange.cancel();
      this.#fail(new UpstreamFault("reader_stalled", "The caller stopped reading the answer."));
      return;
    }
    const kind = hasEnded ? "total_timeout" : this.#stage;
    this.#exchange.cancel();
    this.#fail(new UpstreamFault(kind, `The provider's ${kind.replaceAll("_", " ")} of the call has passed.`));
  }

  #limit(at: number): void {
    this.#exchange.deadlineAt = at < this.#endsAt ? at : this.#endsAt;
  }

  #fail(fault: UpstreamFault): void {
    this.#isOver = true;
    this.#listener.onFault(fault);
  }
}

const noHeaders: ResponseHeaders = { get: () => null };
