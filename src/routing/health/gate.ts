/** Lets only so many calls to a provider be under way at once. A few more may wait for a place, for a short while. */
export interface Gate {
  readonly isFull: boolean;
  /** Takes a place. To be called where the gate is not full. */
  enter(): void;
  leave(): void;
  queue(): QueuedTurn;
}

/** A wait for a place. */
export interface QueuedTurn {
  /** True: a place is kept until `end` is called, which is to be done just before it is taken. False: no place came. */
  readonly came: Promise<boolean>;
  end(): void;
}

/** @param limit calls at once; null for any number */
export function createGate(limit: number | null): Gate {
  const most = limit ?? Number.POSITIVE_INFINITY;
  const waiting = new Set<() => void>();
  let inFlight = 0;
  /** Places that are kept for those whose turn has come: nobody who comes later is first. */
  let kept = 0;

  const callNext = () => {
    const [next] = waiting;
    if (!next || inFlight + kept >= most) return;
    waiting.delete(next);
    kept++;
    next();
  };

  return {
    get isFull() {
      return inFlight + kept >= most;
    },
    enter() {
      inFlight++;
    },
    leave() {
      inFlight--;
      callNext();
    },
    queue() {
      // As many again as may be under way: whoever comes later is better off elsewhere.
      if (waiting.size >= most) return { came: Promise.resolve(false), end() {} };
      const { promise, resolve } = Promise.withResolvers<boolean>();
      let isKept = false;
      const called = () => {
        isKept = true;
        resolve(true);
      };
      waiting.add(called);
      return {
        came: promise,
        end() {
          waiting.delete(called);
          resolve(false);
          if (isKept) kept--;
          isKept = false;
          // Whoever takes the kept place does so at once; where nobody does, it is the next one's.
          queueMicrotask(callNext);
        },
      };
    },
  };
}
