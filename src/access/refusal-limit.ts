import type { Clock } from "../clock.ts";
import { book, bookedAt, emptyWindow, type SlidingWindow, waitUntilFreed, windowMs } from "./sliding-window.ts";

/** Bounds the refused requests of a key that are recorded and logged, so that a caller in a loop fills no disk. */
export interface RefusalLimit {
  /** Counts a refused request. Null if it is within its key's limit; one beyond it is not counted. */
  count(keyId: string): Excess | null;
  /**
   * Counts a request that a rate limit turned away, or one without a good key (null). Null if it is to be logged. They
   * leave no record, and are counted for the log alone: of all requests without a key, ten times as many as of one key.
   */
  countTurnedAway(keyId: string | null): Excess | null;
  /** 0: no limit. */
  readonly perMinute: number;
  /** How many keys are remembered. */
  readonly keys: number;
}

export interface Excess {
  /** Until a refused request is within the limit again. */
  readonly waitSeconds: number;
  /** The first beyond the limit within a minute. */
  readonly isFirst: boolean;
}

interface KeyState {
  readonly refused: SlidingWindow;
  /** Milliseconds of the clock. */
  nextReportAt: number;
}

/** Above this number of keys, idle ones are forgotten, at most once a second. */
const sweepAboveKeys = 1_000;
const sweepEveryMs = 1_000;
/** All callers without a good key share one bucket. */
const nobody = "";
const nobodysShare = 10;

/**
 * @param clock a steady one
 * @param perMinute for each key; 0: no limit
 */
export function createRefusalLimit(clock: Clock, perMinute: number): RefusalLimit {
  const refused = createBuckets(clock);
  const turnedAway = createBuckets(clock);
  return {
    perMinute,
    count: (keyId) => (perMinute === 0 ? null : refused.count(keyId, perMinute)),
    countTurnedAway(keyId) {
      if (perMinute === 0) return null;
      return keyId === null ? turnedAway.count(nobody, perMinute * nobodysShare) : turnedAway.count(keyId, perMinute);
    },
    get keys() {
      return refused.keys;
    },
  };
}

/** A sliding minute for each key. */
function createBuckets(clock: Clock) {
  const states = new Map<string, KeyState>();
  let nextSweepAt = 0;

  function sweep(now: number): void {
    if (states.size < sweepAboveKeys || now < nextSweepAt) return;
    nextSweepAt = now + sweepEveryMs;
    for (const [id, { refused }] of states) if (bookedAt(refused, now) === 0) states.delete(id);
  }

  function stateOf(keyId: string, now: number): KeyState {
    let state = states.get(keyId);
    if (state === undefined) {
      sweep(now);
      state = { refused: emptyWindow(), nextReportAt: 0 };
      states.set(keyId, state);
    }
    return state;
  }

  return {
    count(keyId: string, perMinute: number): Excess | null {
      const now = Math.floor(clock.now());
      const state = stateOf(keyId, now);
      const wait = waitUntilFreed(state.refused, bookedAt(state.refused, now) + 1 - perMinute, now);
      if (wait <= 0) {
        book(state.refused, 1, now);
        return null;
      }
      const isFirst = now >= state.nextReportAt;
      if (isFirst) state.nextReportAt = now + windowMs;
      return { waitSeconds: Math.max(1, Math.ceil(wait / 1000)), isFirst };
    },
    get keys() {
      return states.size;
    },
  };
}
