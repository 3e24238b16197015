import type { Clock } from "../../clock.ts";

/**
 * Keys that were turned away though they hold less than their share, first come first: nobody waits in the gateway, but
 * who comes back in time finds its turn kept.
 */
export interface WaitingKeys {
  /** Keeps a turn for the key, or keeps the one it has for longer. */
  add(keyId: string): void;
  remove(keyId: string): void;
  /** How many have their turn before this key; no more than `limit` are counted. */
  ahead(keyId: string, limit: number): number;
}

/** Callers are asked to retry after one second. */
const keptMs = 2_000;
/** While there are as many turns as can be kept, those that have lapsed are looked for no more often. */
const sweepEveryMs = 1_000;

/** @param maximum the number of places kept; beyond it the first to return is served first */
export function createWaitingKeys(clock: Clock, maximum = 1_000): WaitingKeys {
  /** Until when each turn is kept. */
  const turns = new Map<string, number>();
  let nextSweepAt = 0;

  return {
    add(keyId) {
      const now = clock.now();
      if (turns.size >= maximum && now >= nextSweepAt) {
        nextSweepAt = now + sweepEveryMs;
        for (const [id, until] of turns) if (until <= now) turns.delete(id);
      }
      // One that is set again stays where it is.
      if (turns.size < maximum || turns.has(keyId)) turns.set(keyId, now + keptMs);
    },
    remove(keyId) {
      turns.delete(keyId);
    },
    ahead(keyId, limit) {
      if (turns.size === 0) return 0;
      const now = clock.now();
      let count = 0;
      for (const [id, until] of turns) {
        if (count >= limit || id === keyId) break;
        if (until <= now) turns.delete(id);
        else count++;
      }
      return count;
    },
  };
}
