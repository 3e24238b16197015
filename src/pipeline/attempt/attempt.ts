import type { AnswerCollector, AnswerStream, Exchange } from "../../dialects/exchange.ts";
import { asAnswerFault } from "../../dialects/exchanges/event-reader.ts";
import type { GatewayError } from "../../errors.ts";
import type { RecordAttempt } from "../../records/record.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import type { LastFailure, TargetHealth } from "../../routing/health/target-health.ts";
import type { Call } from "../../upstream/call-group.ts";
import type { CallListener } from "../../upstream/call.ts";
import { isCallerFault, UpstreamFault } from "../../upstream/fault.ts";
import { type AnswerReceiver, type HeldAnswer, type SentAnswer, uncountedBytes } from "../capacity/answer-memory.ts";
import type { Services } from "../services.ts";
import { beginCall, type CallOptions } from "./begin-call.ts";
import { faultOfAnswer, freeFaults } from "./attempt-fault.ts";
import { isStream, mayHaveBeenDone } from "./judge-answer.ts";
import { Pieces } from "./pieces.ts";
import { readAnswerToError, readErrorAnswer } from "./error-answer.ts";
import { knownWordsOf } from "./provider-words.ts";
import type { StreamSink, StreamSource, TargetAnswer } from "./target-answer.ts";

/** An answer or an error page beyond these is not read to its end, in bytes: parsing it would take too long. */
const maxAnswerBytes = 16 << 20;
const maxErrorBytes = 1 << 20;

/** A larger answer takes milliseconds at each step: others are served in between. The same for one that is translated. */
const largeAnswerBytes = 4 << 20;
const largeTranslatedBytes = 256 << 10;

/** How long the end of a connection is waited for after the last event, in milliseconds, so that it can serve again. */
const lingerMs = 1_000;

/**
 * What the attempt is doing: `waiting` for the head; reading an `error` page, a `whole` answer, a stream to be `collected`
 * into one, or a `stream`; `over`, with what may still come on the connection left unread.
 */
type Phase = "waiting" | "error" | "whole" | "collected" | "stream" | "over";

export interface AttemptOptions extends CallOptions {
  readonly services: CallOptions["services"] & Pick<Services, "answerMemory" | "clock" | "log">;
  readonly wantsStream: boolean;
  /** Called once: `attempt.answer` is there, or `attempt.fault`, or the attempt was ended by `abandon`. */
  readonly onDecided: () => void;
}

/**
 * One upstream call for a request, from its beginning to its one outcome, which the target's health learns from it. The
 * first outcome counts.
 */
export class Attempt implements CallListener, StreamSource, AnswerReceiver {
  readonly candidate: Candidate;
  readonly exchange: Exchange;
  /** Of an answer that is held whole; null until it is large enough to be counted. */
  #memory: HeldAnswer | null = null;
  readonly #options: AttemptOptions;
  readonly #health: TargetHealth;
  /** The circuit breaker's token of this attempt. */
  readonly #pass: number;
  readonly startedTick: number;
  #call: Call | null = null;
  #phase: Phase = "waiting";
  readonly #pieces = new Pieces();
  #bytes = 0;
  #reader: AnswerStream | AnswerCollector | null = null;
  #sink: StreamSink | null = null;
  #hasFreedSlot = false;
  #endedTick: number;
  /** How it ended; null while it is under way. */
  outcome: RecordAttempt["outcome"] | null = null;
  /** The provider's HTTP status; null before the head. */
  status: number | null = null;
  fault: UpstreamFault | null = null;
  answer: TargetAnswer | null = null;
  /** Why the gateway itself could not take the answer; null if it could. */
  refusal: GatewayError | null = null;
  /** Whether the provider may charge for it. */
  wasTakenOn = true;
  isComplete = false;

  constructor(options: AttemptOptions) {
    const { services, candidate, exchange, credential } = options;
    const { health } = candidate.target;
    this.#options = options;
    this.candidate = candidate;
    this.exchange = exchange;
    this.#health = health;
    this.startedTick = this.#endedTick = services.callTools.now();
    this.#pass = health.begin(credential);
    try {
      this.#call = beginCall(options, this);
    } catch (error) {
      this.#end("cancelled");
      this.#health.abandoned(this.#pass);
      this.#freeSlot();
      throw error;
    }
  }

  get memory(): HeldAnswer {
    return (this.#memory ??= this.#options.services.answerMemory.open(this));
  }

  get credential(): number {
    return this.#options.credential;
  }

  /** From its beginning to its outcome, or until now, in milliseconds. */
  get latencyMs(): number {
    return (this.outcome === null ? this.#options.services.callTools.now() : this.#endedTick) - this.startedTick;
  }

  /** It is the attempt whose answer the caller is given, to its end or not. */
  get hasAnswered(): boolean {
    return this.answer !== null;
  }

  get first(): Uint8Array {
    return this.#pieces.take();
  }

  /** It failed, and the provider may have done what it was asked for all the same. */
  get isUncertain(): boolean {
    return this.fault !== null && mayHaveBeenDone(this.fault, this.#call);
  }

  /** Ends the attempt for a reason independent of its target: another was faster, or the request was cancelled. */
  abandon(outcome: "lost" | "cancelled"): void {
    if (this.#end(outcome)) {
      if (outcome === "lost") this.#health.lost(this.#pass, this.latencyMs);
      else this.#health.abandoned(this.#pass);
    }
    this.cancel();
  }

  onHead(): void {
    const call = this.#call;
    if (call === null) return;
    const { exchange, wantsStream } = this.#options;
    this.status = call.status;
    if (call.status < 200 || call.status > 299) {
      this.#phase = "error";
      return;
    }
    if (exchange.openBytes) {
      this.#reader = exchange.openBytes({ header: (name) => call.headers.get(name) });
      this.#phase = "stream";
    } else if (exchange.calls || !isStream(call.headers.get("content-type") ?? "", wantsStream)) this.#phase = "whole";
    else if (wantsStream) {
      this.#reader = exchange.openStream();
      this.#phase = "stream";
    } else {
      this.#reader = exchange.openCollector();
      this.#phase = "collected";
    }
  }

  onBytes(bytes: Uint8Array): void {
    try {
      this.#receive(bytes);
    } catch (error) {
      this.#broken(error);
    }
  }

  #receive(bytes: Uint8Array): void {
    if (this.#phase === "over") return;
    if (this.#phase === "stream") {
      this.#onStreamBytes(bytes);
      return;
    }
    this.#bytes += bytes.length;
    const maxBytes = this.#phase === "error" ? maxErrorBytes : (this.exchange.maxAnswerBytes ?? maxAnswerBytes);
    const isTooLarge = this.#bytes > maxBytes;
    if (this.#phase === "error") {
      // An answer too large to be an error of the dialect is judged by its status alone.
      if (isTooLarge) this.#onErrorEnd([]);
      else this.#pieces.push(bytes);
      return;
    }
    if (isTooLarge) {
      this.#fail(new UpstreamFault("invalid_response", `The provider's answer is larger than ${maxBytes} bytes.`));
      return;
    }
    this.#call?.answerBegun();
    if (!this.exchange.calls) this.#hold(bytes.length);
    if (this.#phase === "collected") this.#onCollectedBytes(bytes);
    else this.#pieces.push(bytes);
  }

  /** Counts so many bytes more, which are in `#bytes` already. */
  #hold(bytes: number): void {
    if (this.#memory !== null) this.#memory.grow(bytes);
    else if (this.#bytes > uncountedBytes) this.memory.grow(this.#bytes);
  }

  onEnd(): void {
    this.#freeSlot();
    this.#memory?.complete();
    try {
      this.#finish();
    } catch (error) {
      this.#broken(error);
    }
  }

  /** An error of the gateway's own while it read the answer: no request may wait for ever for it. */
  #broken(error: unknown): void {
    const { log } = this.#options.services;
    const stack = error instanceof Error ? error.stack : String(error);
    log.error({ provider: this.candidate.target.provider.id, stack }, "a provider's answer could not be read");
    this.#fail(new UpstreamFault("invalid_response", "The provider's answer could not be read."));
  }

  #finish(): void {
    switch (this.#phase) {
      case "waiting":
      case "over":
        return;
      case "error":
        this.#onErrorEnd(this.#pieces.list);
        return;
      case "whole":
        this.#onWholeEnd();
        return;
      case "collected":
        this.#reader?.end();
        this.#onCollectedEnd();
        return;
      case "stream":
        this.#onStreamEnd();
    }
  }

  onFault(fault: UpstreamFault): void {
    this.#freeSlot();
    if (this.#phase === "over" || (fault.kind === "reader_stalled" && this.#memory?.giveUp() === true)) return;
    // A broken error page is judged by its status alone.
    if (this.#phase === "error" && fault.kind !== "reader_stalled") this.#onErrorEnd([]);
    else this.#fail(fault);
  }

  attach(sink: StreamSink): void {
    this.#sink = sink;
    if (this.isComplete) {
      sink.onFinished();
      return;
    }
    // Bytes received since the decision.
    if (this.#pieces.length > 0) sink.onBytes(this.#pieces.take());
    if (this.fault !== null) sink.onFault(this.fault);
  }

  pause(): void {
    this.#call?.pause();
  }

  resume(): void {
    this.#call?.resume();
  }

  cancel(): void {
    this.#phase = "over";
    this.#call?.cancel();
    this.#freeSlot();
    this.releaseMemory();
  }

  /** What the delivery of its answer gives back from now on; null if the answer is too small to be counted. */
  handOverMemory(): SentAnswer | null {
    return this.#memory?.handOver() ?? null;
  }

  releaseMemory(): void {
    this.#memory?.release();
  }

  refuse(error: GatewayError): void {
    if (this.hasAnswered || this.outcome !== null) return;
    this.refusal = error;
    this.abandon("cancelled");
    this.#options.onDecided();
  }

  drain(milliseconds: number): void {
    this.#call?.endWithin(milliseconds);
  }

  #onErrorEnd(pieces: readonly Uint8Array[]): void {
    const call = this.#call;
    if (call === null) return;
    const { services, exchange } = this.#options;
    const answer = readAnswerToError(call.status, pieces, exchange);
    if (answer !== null) this.#answered({ kind: "whole", answer });
    else this.#fail(readErrorAnswer(call, pieces, exchange, services.clock.now()));
  }

  #onWholeEnd(): void {
    const { exchange, wantsStream } = this.#options;
    const inSteps = !wantsStream && exchange.readLarge !== undefined;
    const isSmall = this.#bytes <= (inSteps ? largeTranslatedBytes : largeAnswerBytes);
    if (isSmall && exchange.isReadInSteps !== true) this.#readWhole(this.#pieces.take());
    else this.#readLarge().catch((error: unknown) => this.#broken(error));
  }

  /** Joins a large answer in steps and reads it, each in a turn of its own. */
  async #readLarge(): Promise<void> {
    const body = await this.#pieces.takeInSteps();
    if (this.#phase !== "whole") return;
    const { exchange, wantsStream } = this.#options;
    const reading = wantsStream ? exchange.streamLarge?.(body, this.memory) : exchange.readLarge?.(body, this.memory);
    if (reading === undefined) {
      this.#readWhole(body);
      return;
    }
    try {
      const answer = await reading;
      if (this.#phase !== "whole") return;
      if ("stream" in answer) this.#streamedAtOnce(answer);
      else this.#answered({ kind: "whole", answer });
    } catch (error) {
      if (this.#phase === "whole") this.#fail(faultOfAnswer(asAnswerFault(error)));
    }
  }

  #readWhole(body: Uint8Array): void {
    const { exchange, wantsStream } = this.#options;
    try {
      if (!wantsStream) {
        this.#answered({ kind: "whole", answer: exchange.readWhole(body) });
        return;
      }
      this.#streamedAtOnce(exchange.wholeAsStream(body));
    } catch (error) {
      this.#fail(faultOfAnswer(asAnswerFault(error)));
    }
  }

  /** The provider ignored `stream: true`, or has no streams. */
  #streamedAtOnce({ bytes, stream }: ReturnType<Exchange["wholeAsStream"]>): void {
    this.#pieces.push(bytes);
    this.isComplete = true;
    this.#answered({ kind: "stream", stream, source: this });
  }

  #onCollectedBytes(bytes: Uint8Array): void {
    const reader = this.#reader;
    if (reader === null) return;
    reader.push(bytes);
    if (reader.fault !== null || reader.finished) this.#onCollectedEnd();
  }

  #onCollectedEnd(): void {
    const reader = this.#reader;
    if (reader === null || !("answer" in reader)) return;
    if (reader.fault !== null) {
      this.#fail(faultOfAnswer(reader.fault));
      return;
    }
    try {
      const answer = reader.answer();
      this.#answered({ kind: "whole", answer });
      this.#linger();
    } catch (error) {
      this.#fail(faultOfAnswer(asAnswerFault(error)));
    }
  }

  #onStreamBytes(piece: Uint8Array): void {
    const reader = this.#reader;
    if (reader === null) return;
    const bytes = reader.push(piece);
    if (reader.started) this.#call?.answerBegun();
    else {
      this.#bytes += piece.length;
      this.#hold(piece.length);
    }
    this.#streamed(bytes);
  }

  #onStreamEnd(): void {
    const reader = this.#reader;
    if (reader === null) return;
    if (!reader.finished && "endInSteps" in reader && reader.endInSteps) {
      this.#endInSteps(reader.endInSteps()).catch((error: unknown) => this.#broken(error));
      return;
    }
    this.#streamed(reader.finished ? null : reader.end(), true);
  }

  async #endInSteps(rest: Promise<Uint8Array | null>): Promise<void> {
    const bytes = await rest;
    if (this.#phase === "stream") this.#streamed(bytes, true);
  }

  /** Passes on the reader's output for a piece, then returns the state of the stream. */
  #streamed(bytes: Uint8Array | null, hasEnded = false): void {
    const reader = this.#reader;
    if (reader === null || !("terminator" in reader)) return;
    if (bytes !== null) {
      // Comments before the first event say nothing that a caller needs; a bound keeps an endless run of them harmless.
      if (this.#sink !== null) this.#sink.onBytes(bytes);
      else if (this.hasAnswered || reader.started || this.#pieces.length < 16) this.#pieces.push(bytes);
    }
    if (this.#phase === "over") return;
    const isGood = reader.fault === null;
    if (isGood && (reader.finished || hasEnded)) {
      if (!reader.started) {
        this.#fail(new UpstreamFault("invalid_response", "The provider's stream ended without an event."));
        return;
      }
      this.isComplete = true;
    }
    if (reader.started && !this.hasAnswered && (isGood || bytes !== null)) {
      this.#decide({ kind: "stream", stream: reader, source: this });
    }
    if (reader.fault !== null) this.#fail(faultOfAnswer(reader.fault));
    else if (this.isComplete) {
      this.#succeed();
      this.#linger();
      this.#sink?.onFinished();
    }
  }

  /** The whole answer is here, and it is good. */
  #answered(answer: TargetAnswer): void {
    this.#decide(answer);
    this.#succeed();
    this.#phase = "over";
  }

  #decide(answer: TargetAnswer): void {
    this.answer = answer;
    this.#health.answered(this.#pass, this.latencyMs);
    this.#options.onDecided();
  }

  #succeed(): void {
    if (this.#end("answered")) this.#health.succeeded(this.#pass, this.#options.credential);
  }

  #fail(fault: UpstreamFault): void {
    this.#phase = "over";
    this.fault = fault;
    if (this.#end(fault.kind === "reader_stalled" ? "cancelled" : "failed")) {
      this.wasTakenOn = !freeFaults.has(fault.kind);
      if (fault.kind === "reader_stalled") this.#health.abandoned(this.#pass);
      else {
        this.#health.failed(this.#pass, this.#options.credential, fault);
        // That a caller's request was invalid says nothing of a target; a search backend may take what another refuses.
        if (this.candidate.model.search || !isCallerFault(fault)) this.#health.lastFailure = this.#lastFailure(fault);
      }
    }
    this.#call?.cancel();
    this.#freeSlot();
    this.releaseMemory();
    if (!this.hasAnswered) this.#options.onDecided();
    else this.#sink?.onFault(fault);
  }

  #lastFailure(fault: UpstreamFault): LastFailure {
    const at = this.#options.services.clock.now();
    const { kind, status } = fault;
    return {
      at,
      fault: { kind, status },
      // Worked out with the record, after the next target has been asked.
      get message() {
        return knownWordsOf(fault)?.message ?? null;
      },
    };
  }

  /** Bytes after the last event are read briefly, so that the connection can be used again. */
  #linger(): void {
    this.#phase = "over";
    if (this.#call !== null && !this.#call.isOver) this.#call.endWithin(lingerMs);
  }

  /** Whether this is the first outcome. */
  #end(outcome: RecordAttempt["outcome"]): boolean {
    if (this.outcome !== null) return false;
    this.outcome = outcome;
    this.#endedTick = this.#options.services.callTools.now();
    return true;
  }

  #freeSlot(): void {
    if (this.#hasFreedSlot) return;
    this.#hasFreedSlot = true;
    this.#health.ended();
  }
}
