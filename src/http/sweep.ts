/** A tick takes no longer by much: what else has expired is told in the next turns of the event loop. */
const maxTickMs = 10;

/** Something with a time limit. */
export interface Timed {
  /** Milliseconds of the sweep's clock; Infinity for none. */
  deadlineAt: number;
  /** Its place in the sweep's list; -1 if it is not in it. Kept by the sweep. */
  place: number;
  /** Called at every tick after `deadlineAt`. */
  expire(): void;
}

/** Watches all time limits with one timer, since thousands of streams each move theirs at every chunk. */
export class Sweep {
  readonly #now: () => number;
  readonly #tickMs: number;
  readonly #watched: Timed[] = [];
  /** Called at every tick; says whether it needs another one. */
  readonly #onTick: (now: number) => boolean;
  #timer: ReturnType<typeof setInterval> | null = null;
  /** Whether the next turn of the event loop goes on with a tick. */
  #isContinued = false;

  constructor(now: () => number, tickMs: number, onTick: (now: number) => boolean = () => false) {
    this.#now = now;
    this.#tickMs = tickMs;
    this.#onTick = onTick;
  }

  watch(timed: Timed): void {
    timed.place = this.#watched.push(timed) - 1;
    this.wake();
  }

  /** Watches something from now on, or anew, until so many milliseconds have passed. */
  watchFor(timed: Timed, milliseconds: number): void {
    timed.deadlineAt = this.#now() + milliseconds;
    if (timed.place < 0) this.watch(timed);
  }

  unwatch(timed: Timed): void {
    const { place } = timed;
    if (place < 0) return;
    timed.place = -1;
    const last = this.#watched.pop();
    if (last === undefined || last === timed) return;
    last.place = place;
    this.#watched[place] = last;
  }

  /** Starts the timer if it does not run. It does not keep the process alive. */
  wake(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => this.#tick(), this.#tickMs);
    this.#timer.unref();
  }

  /** Looks at all limits now, and stops the timer if there is nothing left to watch. */
  check(): void {
    this.#checkUntil(Infinity);
  }

  #tick(): void {
    if (this.#isContinued) return;
    this.#isContinued = this.#timer !== null && !this.#checkUntil(performance.now() + maxTickMs);
    if (this.#isContinued) setImmediate(() => this.#goOn());
  }

  #goOn(): void {
    this.#isContinued = false;
    this.#tick();
  }

  /** Whether it came to its end before that time of `performance.now()`. */
  #checkUntil(endsAt: number): boolean {
    const now = this.#now();
    // Backwards: what is removed meanwhile is replaced by one that has been looked at, and what is added waits for the next tick.
    for (let index = this.#watched.length - 1; index >= 0; index--) {
      const timed = this.#watched[index];
      if (timed === undefined || timed.deadlineAt > now) continue;
      timed.expire();
      if (performance.now() > endsAt) return false;
    }
    const needed = this.#onTick(now);
    if (needed || this.#watched.length > 0 || this.#timer === null) return true;
    clearInterval(this.#timer);
    this.#timer = null;
    return true;
  }
}
