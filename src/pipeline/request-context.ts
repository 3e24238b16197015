import { newRequestId } from "../identifiers.ts";

/** A caller's connection, as far as a request is concerned. */
export interface Connection {
  readonly request: Request;
  readonly server: {
    /** Closes the connection if nothing passes for so many seconds; 0: never. */
    timeout(request: Request, seconds: number): void;
  };
}

/** After a request the server closes a connection that is silent, or whose caller takes nothing, for so long. */
const idleSeconds = 10;

/**
 * One request from its arrival to its end, and the one thing that can happen to it from outside: nobody waits for it any
 * more, because its caller has left or its caller's own deadline has passed.
 */
export class RequestContext {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds of the steady clock, from which all durations are measured. */
  readonly startedTick: number;
  readonly path: string;
  readonly #connection: Connection;
  #isWatched = false;
  /** Called at most once, when the request is cancelled: set by the stage that is waiting, null if none is. */
  onCancel: (() => void) | null = null;
  isCallerGone = false;
  /** Why nobody waits any more; undefined while somebody does. */
  cancelReason: unknown = undefined;
  /** Room on the disk is reserved for its record. */
  hasRecordRoom = false;
  /** Its record is kept, or it will have none. */
  isSettled = false;

  constructor(connection: Connection, path: string, startedAt: number, startedTick: number) {
    this.id = newRequestId(startedAt);
    this.startedAt = startedAt;
    this.startedTick = startedTick;
    this.path = path;
    this.#connection = connection;
  }

  get isCancelled(): boolean {
    return this.cancelReason !== undefined;
  }

  cancel(reason: unknown): void {
    if (this.isCancelled || this.isSettled) return;
    this.cancelReason = reason;
    this.onCancel?.();
  }

  callerLeft(): void {
    if (this.isSettled) return;
    this.isCallerGone = true;
    this.cancel(callerLeftError);
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

  /**
   * From now on `callerLeft` is called when the caller's connection breaks, and the server does not close it for being
   * silent: the limits of a billable request are the gateway's own.
   */
  watchCaller(): void {
    if (this.isSettled || this.#isWatched) return;
    const { request, server } = this.#connection;
    this.#isWatched = true;
    server.timeout(request, 0);
    const { signal } = request;
    if (signal.aborted) this.callerLeft();
    else signal.addEventListener("abort", () => this.callerLeft(), { once: true });
  }

  /** Whether the caller has left, also if nobody has noticed yet. */
  hasCallerLeft(): boolean {
    this.isCallerGone ||= this.#connection.request.signal.aborted;
    return this.isCallerGone;
  }

  /** Its record is kept; only its last bytes may still be on their way. */
  settled(): void {
    this.isSettled = true;
    this.onCancel = null;
    if (this.#isWatched) this.#connection.server.timeout(this.#connection.request, idleSeconds);
  }
}

/** Never shown: its caller has gone. */
const callerLeftError = new Error("The caller left.");
