import { overloaded } from "../errors.ts";

/** Lets only so many do something at once; the others wait for their turn. */
export interface Turns {
  /** Throws a 503 where too many are waiting already. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(mostAtOnce: number, mostWaiting: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take(work) {
      if (running >= mostAtOnce) {
        if (waiting.length >= mostWaiting) throw overloaded("overloaded", "Too much is being fetched at once.", 1);
        // Whoever ends hands its place on, so nobody who comes later can be first.
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
