import type { Clock } from "../../clock.ts";
import type { AnswerRoom } from "../../dialects/exchange.ts";
import { type GatewayError, overloaded } from "../../errors.ts";
import type { Deadline, Deadlines } from "../../upstream/deadlines.ts";

/** Answers up to this size are not counted, in bytes: the requests at once bound them. */
export const uncountedBytes = 1 << 20;
/** An answer is received in pieces that are then put together, or written anew: it takes its bytes twice. */
const copies = 2;
/** How long one answer may wait for room in all, in milliseconds. */
const maxWaitMs = 30_000;

export interface AnswerMemoryOptions {
  readonly maxBytes: number;
  readonly clock: Pick<Clock, "now">;
  readonly deadlines: Pick<Deadlines, "watch" | "unwatch">;
}

/** Is told whether more of its answer may be received. */
export interface AnswerReceiver {
  /** There is no room: `resume` or `refuse` follows. */
  pause(): void;
  resume(): void;
  /** There was no room for too long. The answer's memory has been given back. */
  refuse(error: GatewayError): void;
}

/**
 * The memory of all answers that have to be held whole, such as images in JSON. They take of it as they arrive; one for which
 * there is no room is not received until there is. Half of the memory is left to the oldest answer that is being received, so
 * that one is completed rather than many begun. An answer that is alone is received in any case: its own bound is elsewhere.
 */
export interface AnswerMemory {
  /** Bytes that are counted now. */
  readonly bytes: number;
  /** The memory of one answer, of which nothing is counted yet. */
  open(receiver: AnswerReceiver): HeldAnswer;
}

/** The memory of one answer. */
export interface HeldAnswer extends AnswerRoom {
  /** So many bytes more have arrived. */
  grow(bytes: number): void;
  /** All of it has arrived. */
  complete(): void;
  /** Refuses an answer that waits for room, since its call has no time left. Returns whether it did wait. */
  giveUp(): boolean;
  /** Gives all of it back, unless its delivery has taken it over. More often is the same. */
  release(): void;
  /** What its delivery gives back from now on; null if the answer is too small to be counted. */
  handOver(): SentAnswer | null;
}

/** The memory of an answer on its way to its caller. */
export interface SentAnswer {
  /** Counts so many bytes from now on: what is left of the answer. */
  keep(bytes: number): void;
  /** Gives all of it back. */
  sent(): void;
}

export function createAnswerMemory(options: AnswerMemoryOptions): AnswerMemory {
  return new SharedMemory(options);
}

class SharedMemory implements AnswerMemory {
  readonly options: AnswerMemoryOptions;
  /** What is counted, the oldest first. */
  readonly #counted = new Set<Held>();
  bytes = 0;

  constructor(options: AnswerMemoryOptions) {
    this.options = options;
  }

  open(receiver: AnswerReceiver): HeldAnswer {
    return new Held(this, receiver);
  }

  hasRoom(held: Held): boolean {
    const { maxBytes } = this.options;
    if (this.bytes <= maxBytes / 2 || this.bytes === held.bytes) return true;
    return this.bytes <= maxBytes && held === this.#oldestReceived();
  }

  count(held: Held, bytes: number): void {
    this.#counted.add(held);
    this.bytes += bytes;
  }

  remove(held: Held): void {
    this.#counted.delete(held);
    this.bytes -= held.bytes;
  }

  /** Lets those go on for which there is room now. If none of all can, the youngest makes room. */
  review(): void {
    for (const held of this.#counted) if (held.isWaiting && this.hasRoom(held)) held.goOn();
    let youngest: Held | null = null;
    for (const held of this.#counted) {
      if (!held.isWaiting) return;
      youngest = held;
    }
    youngest?.refuse();
  }

  #oldestReceived(): Held | null {
    for (const held of this.#counted) if (held.isReceived) return held;
    return null;
  }
}

class Held implements HeldAnswer, SentAnswer {
  readonly #memory: SharedMemory;
  readonly #receiver: AnswerReceiver;
  #deadline: Deadline | null = null;
  #waitsSince = 0;
  #waitedMs = 0;
  #room: PromiseWithResolvers<void> | null = null;
  #isReleased = false;
  #isHandedOver = false;
  /** What has arrived. */
  #size = 0;
  /** What is counted of it. */
  bytes = 0;
  isReceived = true;

  constructor(memory: SharedMemory, receiver: AnswerReceiver) {
    this.#memory = memory;
    this.#receiver = receiver;
  }

  get isWaiting(): boolean {
    return this.#deadline !== null;
  }

  grow(bytes: number): void {
    this.#size += bytes;
    if (this.#size <= uncountedBytes || this.#isReleased) return;
    this.isReceived = true;
    this.#count(this.#size * copies);
    if (!this.isWaiting && !this.#memory.hasRoom(this)) this.#wait();
  }

  take(bytes: number): Promise<void> | undefined {
    this.grow(bytes);
    if (this.#isReleased) return Promise.reject(tooMuch());
    if (!this.isWaiting) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  complete(): void {
    if (!this.isReceived || this.bytes === 0) return;
    this.isReceived = false;
    this.#endWait();
    this.#memory.review();
  }

  keep(bytes: number): void {
    if (this.bytes === 0) return;
    this.isReceived = false;
    this.#endWait();
    this.#count(bytes);
    this.#memory.review();
  }

  giveUp(): boolean {
    const { isWaiting } = this;
    if (isWaiting) this.refuse();
    return isWaiting;
  }

  handOver(): SentAnswer | null {
    if (this.bytes === 0) return null;
    this.#isHandedOver = true;
    return this;
  }

  release(): void {
    if (!this.#isHandedOver) this.sent();
  }

  sent(): void {
    this.#isReleased = true;
    if (this.bytes === 0) return;
    this.#endWait();
    this.#memory.remove(this);
    this.bytes = 0;
    this.#room?.reject(tooMuch());
    this.#room = null;
    this.#memory.review();
  }

  /** There is room again. */
  goOn(): void {
    this.#endWait();
    this.#room?.resolve();
    this.#room = null;
    this.#receiver.resume();
  }

  refuse(): void {
    this.release();
    this.#receiver.refuse(tooMuch());
  }

  #wait(): void {
    const { clock, deadlines } = this.#memory.options;
    this.#waitsSince = clock.now();
    this.#deadline = deadlines.watch(this.#waitsSince + maxWaitMs - this.#waitedMs, () => this.refuse());
    this.#receiver.pause();
    this.#memory.review();
  }

  #endWait(): void {
    if (this.#deadline === null) return;
    const { clock, deadlines } = this.#memory.options;
    deadlines.unwatch(this.#deadline);
    this.#deadline = null;
    this.#waitedMs += clock.now() - this.#waitsSince;
  }

  #count(bytes: number): void {
    this.#memory.count(this, bytes - this.bytes);
    this.bytes = bytes;
  }
}

function tooMuch(): GatewayError {
  return overloaded("overloaded", "The gateway holds as many bytes of answers as it can. Retry in 1 second.", 1);
}
