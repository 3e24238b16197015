/** Bounds the calls in flight at a provider. As many calls again may wait for a slot. */
export interface ConcurrencyLimiter {
  readonly isFull: boolean;
  /** Takes a slot. Call it only if the limiter is not full. */
  acquire(): void;
  release(): void;
  queue(): QueuedSlot;
}

/** A place in the queue for a slot. */
export interface QueuedSlot {
  /** True: a slot is reserved until `end` is called. False: there will be no slot. */
  readonly granted: Promise<boolean>;
  /** Leaves the queue, or ends the reservation. To use a granted slot, call this and then `acquire` at once. */
  end(): void;
}

/** @param limit calls at once; null for no limit */
export function createConcurrencyLimiter(limit: number | null): ConcurrencyLimiter {
  const max = limit ?? Number.POSITIVE_INFINITY;
  const waiting = new Set<() => void>();
  let inFlight = 0;
  /** Slots granted from the queue and not yet taken. They count as taken, so that later calls cannot overtake. */
  let reserved = 0;

  const grantNext = () => {
    const [next] = waiting;
    if (!next || inFlight + reserved >= max) return;
    waiting.delete(next);
    reserved++;
    next();
  };

  return {
    get isFull() {
      return inFlight + reserved >= max;
    },
    acquire() {
      inFlight++;
    },
    release() {
      inFlight--;
      grantNext();
    },
    queue() {
      // A longer queue would only delay callers that could be served elsewhere.
      if (waiting.size >= max) return { granted: Promise.resolve(false), end() {} };
      const { promise, resolve } = Promise.withResolvers<boolean>();
      let isReserved = false;
      const grant = () => {
        isReserved = true;
        resolve(true);
      };
      waiting.add(grant);
      return {
        granted: promise,
        end() {
          waiting.delete(grant);
          resolve(false);
          if (isReserved) reserved--;
          isReserved = false;
          // The owner of the reservation acquires the slot synchronously; if it does not, the next in the queue gets it.
          queueMicrotask(grantNext);
        },
      };
    },
  };
}
