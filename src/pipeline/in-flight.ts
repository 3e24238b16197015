/** How many requests are on their way, and whether new ones are let in. */
export interface InFlight {
  readonly count: number;
  readonly draining: boolean;
  add(): void;
  remove(): void;
  /** Lets no new request in. Resolves when the last one has ended. */
  drain(): Promise<void>;
  /** The drain bound has passed: callers that are cut off now have not disconnected by themselves. */
  cutShort(): void;
  readonly isCutShort: boolean;
}

export function createInFlight(): InFlight {
  let count = 0;
  let draining = false;
  let isCutShort = false;
  const emptied = Promise.withResolvers<void>();
  return {
    get count() {
      return count;
    },
    get draining() {
      return draining;
    },
    add() {
      count++;
    },
    remove() {
      count--;
      if (draining && count === 0) emptied.resolve();
    },
    cutShort() {
      isCutShort = true;
    },
    get isCutShort() {
      return isCutShort;
    },
    drain() {
      draining = true;
      if (count === 0) emptied.resolve();
      return emptied.promise;
    },
  };
}
