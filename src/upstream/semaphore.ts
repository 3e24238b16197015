import { overloaded } from "../errors.ts";

/** Runs at most a fixed number of tasks at once; further tasks wait, first in, first out. */
export interface Semaphore {
  /** @throws 503 if too many tasks are waiting already */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createSemaphore(maxRunning: number, maxWaiting: number): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async run(work) {
      if (running >= maxRunning) {
        if (waiting.length >= maxWaiting) throw overloaded("overloaded", "Too many fetches are in progress.", 1);
        // A task that ends hands its slot to the next waiting one, so `running` stays as it is.
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else running++;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running--;
        else next();
      }
    },
  };
}
