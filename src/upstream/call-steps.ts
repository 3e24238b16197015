import type { CallSteps, UpstreamRequest } from "../dialects/exchange.ts";
import { CopiedBytes } from "../http/copied-bytes.ts";
import type { BeginCall, Call } from "./call-group.ts";
import type { CallListener, UpstreamCall } from "./call.ts";
import { UpstreamFault } from "./fault.ts";
import type { ResponseHeaders } from "./http/exchange.ts";

/** The clock of several steps. */
export interface StepTools {
  /** Milliseconds that never step back or jump. */
  readonly now: () => number;
  /** Runs something after so many milliseconds. Returns what prevents it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** All steps together, in milliseconds. */
  readonly totalMs: number;
}

/** An answer of one step that is larger is not read, in bytes. */
const maxStepBytes = 4 << 20;
/** How often in a row a question about a job may fail before the job is given up. */
const maxFailures = 5;
/** The first wait after a failure, in milliseconds. It doubles. */
const firstWaitMs = 500;

const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);
const noHeaders: ResponseHeaders = { get: () => null };

/** Runs something after so many milliseconds, by the system's timers. */
export function afterMilliseconds(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

/**
 * Calls one after another that come to one answer, as a job does that is begun, asked for and fetched. The listener is told of the
 * last answer alone. A question that fails in passing is asked again, since to begin anew would cost once more. All of it has
 * the time of one call; if it runs out, or the call is cancelled, the job is cancelled where that is possible.
 */
export class SteppedCall implements Call {
  readonly #steps: CallSteps;
  readonly #begin: BeginCall;
  readonly #listener: CallListener;
  readonly #tools: StepTools;
  readonly #endsAt: number;
  #call: UpstreamCall | null = null;
  #stopWaiting: (() => void) | null = null;
  #bytes = new CopiedBytes();
  #failures = 0;
  #hasBegun = false;
  #isOver = false;
  status = 0;
  headers: ResponseHeaders = noHeaders;

  /** @throws whatever `begin` throws */
  constructor(steps: CallSteps, first: UpstreamRequest, begin: BeginCall, listener: CallListener, tools: StepTools) {
    this.#steps = steps;
    this.#begin = begin;
    this.#listener = listener;
    this.#tools = tools;
    this.#endsAt = tools.now() + tools.totalMs;
    this.#ask(first);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Each step begins its answer by itself. */
  answerBegun(): void {}

  pause(): void {
    this.#call?.pause();
  }

  resume(): void {
    this.#call?.resume();
  }

  endWithin(): void {}

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWaiting?.();
    this.#call?.cancel();
    this.#cancelJob();
  }

  #ask(request: UpstreamRequest): void {
    this.#bytes = new CopiedBytes();
    this.#call = this.#begin(request, {
      onHead: () => {},
      onBytes: (bytes) => {
        this.#call?.answerBegun();
        this.#bytes.push(bytes);
        if (this.#bytes.length <= maxStepBytes || this.#isOver) return;
        this.#call?.cancel();
        this.#fail(
          new UpstreamFault("invalid_response", `The provider's answer is larger than ${maxStepBytes} bytes.`),
        );
      },
      onEnd: () => this.#onEnd(request),
      onFault: (fault) => {
        if (!this.#askAgain(request)) this.#fail(fault);
      },
    });
  }

  #onEnd(request: UpstreamRequest): void {
    const call = this.#call;
    if (this.#isOver || call === null) return;
    const { status, headers } = call;
    const body = this.#bytes.joined();
    if (status < 200 || status > 299) {
      const isPassing = status >= 500 || passing.has(status);
      if (!isPassing || !this.#askAgain(request)) this.#tell(status, headers, body);
      return;
    }
    this.#hasBegun = true;
    this.#failures = 0;
    const next = this.#nextAfter(body);
    if (next === null) this.#tell(status, headers, body);
    else this.#askAfter(next.afterMs, next.request);
  }

  /** What is wrong with an answer is found again when it is read as the last one. */
  #nextAfter(body: Uint8Array): ReturnType<CallSteps["next"]> {
    try {
      return this.#steps.next(body);
    } catch {
      return null;
    }
  }

  /** False if this was not a question about a job that was begun, or was asked too often. */
  #askAgain(request: UpstreamRequest): boolean {
    if (this.#isOver || !this.#hasBegun || this.#failures === maxFailures) return false;
    this.#askAfter(firstWaitMs * 2 ** this.#failures, request);
    this.#failures += 1;
    return true;
  }

  #askAfter(milliseconds: number, request: UpstreamRequest): void {
    const left = this.#endsAt - this.#tools.now();
    const isLate = milliseconds >= left;
    this.#stopWaiting = this.#tools.after(Math.max(0, Math.min(milliseconds, left)), () => {
      this.#stopWaiting = null;
      if (this.#isOver) return;
      if (isLate) this.#fail(new UpstreamFault("total_timeout", "The provider's job did not end in time."));
      else this.#ask(request);
    });
  }

  #tell(status: number, headers: ResponseHeaders, body: Uint8Array): void {
    this.#isOver = true;
    this.status = status;
    this.headers = headers;
    this.#listener.onHead();
    if (body.length > 0) this.#listener.onBytes(body);
    this.#listener.onEnd();
  }

  #fail(fault: UpstreamFault): void {
    this.#isOver = true;
    this.#cancelJob();
    this.#listener.onFault(fault);
  }

  #cancelJob(): void {
    const request = this.#hasBegun ? this.#steps.cancel() : null;
    const ignore = () => {};
    if (request) this.#begin(request, { onHead: ignore, onBytes: ignore, onEnd: ignore, onFault: ignore });
  }
}
