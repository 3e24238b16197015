import { type Attribution, unattributed } from "../attribution/attribution.ts";
import type { BodyCapture } from "../bodies/body-capture.ts";
import { newRequestId } from "../identifiers.ts";
import type { ServerExchange } from "../server/exchange.ts";

/** A URL for what operations read of a target. */
export function urlOf(target: string): string {
  return `http://gateway${target}`;
}

/** Work that can be cancelled while one stage waits for it. */
export class Cancellable {
  readonly id: string;
  /** Milliseconds of the steady clock, from which all durations are measured. */
  readonly startedTick: number;
  /** Called at most once, when the work is cancelled: set by the stage that is waiting, null if none is. */
  onCancel: (() => void) | null = null;
  /** The reason of the cancellation; undefined while someone waits. */
  cancelReason: unknown = undefined;

  /** @param id of the request that it is done for */
  constructor(id: string, startedTick: number) {
    this.id = id;
    this.startedTick = startedTick;
  }

  get isCancelled(): boolean {
    return this.cancelReason !== undefined;
  }

  cancel(reason: unknown): void {
    if (this.isCancelled) return;
    this.cancelReason = reason;
    this.onCancel?.();
  }

  throwIfCancelled(): void {
    if (this.isCancelled) throw this.cancelReason;
  }

  /** The outcome of the work, or the reason of a cancellation as a rejection if that comes first. The work goes on by itself. */
  unlessCancelled<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.isCancelled) {
        reject(this.cancelReason);
        return;
      }
      const stop = () => reject(this.cancelReason);
      this.onCancel = stop;
      const done = () => {
        if (this.onCancel === stop) this.onCancel = null;
      };
      work.then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
          reject(error);
        },
      );
    });
  }
}

/**
 * One request from its arrival to its end, and the one thing that can happen to it from outside: nobody waits for it any
 * more, because its caller has left or its caller's own deadline has passed.
 */
export class RequestContext extends Cancellable {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly path: string;
  readonly exchange: Pick<ServerExchange, "isClosed" | "onClose">;
  /** What its answer says to the page that asks, in a browser. */
  readonly pageHeaders: Readonly<Record<string, string>> | null;
  /** For whom it is, as far as the stages have read it. */
  attribution: Attribution = unattributed;
  isCallerGone = false;
  /** Room on the disk is reserved for its record. */
  hasRecordRoom = false;
  /** Captures its bodies; null unless its account has them kept. */
  bodies: BodyCapture | null = null;
  /** Its record is kept, or it will have none. */
  isSettled = false;

  constructor(
    exchange: RequestContext["exchange"],
    path: string,
    startedAt: number,
    startedTick: number,
    pageHeaders: RequestContext["pageHeaders"] = null,
  ) {
    super(newRequestId(startedAt), startedTick);
    this.startedAt = startedAt;
    this.path = path;
    this.exchange = exchange;
    this.pageHeaders = pageHeaders;
    exchange.onClose = () => this.callerLeft();
  }

  override cancel(reason: unknown): void {
    if (!this.isSettled) super.cancel(reason);
  }

  callerLeft(): void {
    if (this.isSettled) return;
    this.isCallerGone = true;
    this.cancel(callerLeftError);
  }

  /** Whether the caller has left. */
  hasCallerLeft(): boolean {
    this.isCallerGone ||= this.exchange.isClosed;
    return this.isCallerGone;
  }

  /** Its record is kept; only its last bytes may still be on their way. */
  settled(): void {
    this.isSettled = true;
    this.onCancel = null;
  }
}

/** Never shown: its caller has gone. */
const callerLeftError = new Error("The caller left.");
