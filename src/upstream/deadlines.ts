import type { Clock } from "../clock.ts";

/** A moment at which something gives up waiting. `at` may be moved at any time, which costs nothing. */
export interface Deadline {
  /** Milliseconds of the clock; `Infinity` while nothing is waited for. */
  at: number;
}

/** Watches many deadlines with one timer, since thousands of streams each move theirs at every chunk. */
export interface Deadlines {
  /** `onExpired` is called once, at most one tick late, or later if so many expire at once that they take longer. */
  watch(at: number, onExpired: () => void): Deadline;
  /** Watches a deadline again whose time had passed. */
  rewatch(deadline: Deadline, at: number, onExpired: () => void): void;
  unwatch(deadline: Deadline): void;
  /** Looks at all of them now. For tests that set the clock. */
  check(): void;
}

const tickMs = 20;
/** A tick takes no longer by much: what else has expired is told in the next turns of the event loop. */
const maxTickMs = 10;

export function createDeadlines(clock: Clock): Deadlines {
  const watched = new Map<Deadline, () => void>();
  let timer: ReturnType<typeof setInterval> | null = null;
  /** Whether the next turn of the event loop goes on with a tick. */
  let isContinued = false;

  /** Whether all of them were looked at before that time of `performance.now()`. */
  const checkUntil = (endsAt: number): boolean => {
    const now = clock.now();
    // All of them first: what is told may watch anew, and what is new is for the next tick, or this one might not end.
    const expired: Deadline[] = [];
    for (const deadline of watched.keys()) if (deadline.at <= now) expired.push(deadline);
    for (const deadline of expired) {
      // Gone where one that expired before it has ended it.
      const onExpired = watched.get(deadline);
      watched.delete(deadline);
      onExpired?.();
      if (performance.now() > endsAt) return false;
    }
    if (watched.size === 0 && timer) {
      clearInterval(timer);
      timer = null;
    }
    return true;
  };

  const tick = (): void => {
    if (isContinued) return;
    isContinued = timer !== null && !checkUntil(performance.now() + maxTickMs);
    if (isContinued) setImmediate(goOn);
  };
  const goOn = (): void => {
    isContinued = false;
    tick();
  };

  return {
    watch(at, onExpired) {
      const deadline = { at };
      watched.set(deadline, onExpired);
      timer ??= setInterval(tick, tickMs);
      return deadline;
    },
    rewatch(deadline, at, onExpired) {
      deadline.at = at;
      watched.set(deadline, onExpired);
      timer ??= setInterval(tick, tickMs);
    },
    unwatch(deadline) {
      watched.delete(deadline);
    },
    check: () => void checkUntil(Infinity),
  };
}
