import type { Clock } from "../../clock.ts";

/** The capacity that one key holds. */
export interface Holding {
  requests: number;
  bodyBytes: number;
}

/** Which keys are active: those with a request in flight, and those that were here in the last minute. */
export interface ActiveKeys {
  readonly count: number;
  /** The holdings of the key. To be followed by `rest`, unless it now holds a request. */
  arrive(keyId: string): Holding;
  /** To be called when a key may hold no request any more. */
  rest(keyId: string, holding: Holding): void;
}

const activeMs = 60_000;

/** @param maximumResting how many keys that hold nothing are remembered; beyond it the longest gone are forgotten */
export function createActiveKeys(clock: Clock, maximumResting = 10_000): ActiveKeys {
  const holding = new Map<string, Holding>();
  /** When they were last here, the longest gone first. */
  const resting = new Map<string, number>();

  return {
    get count() {
      return holding.size + resting.size;
    },
    arrive(keyId) {
      const known = holding.get(keyId);
      if (known) return known;
      const gone = clock.now() - activeMs;
      for (const [id, at] of resting) {
        if (at > gone) break;
        resting.delete(id);
      }
      resting.delete(keyId);
      const fresh = { requests: 0, bodyBytes: 0 };
      holding.set(keyId, fresh);
      return fresh;
    },
    rest(keyId, held) {
      if (held.requests > 0) return;
      holding.delete(keyId);
      resting.set(keyId, clock.now());
      if (resting.size <= maximumResting) return;
      for (const id of resting.keys()) {
        resting.delete(id);
        return;
      }
    },
  };
}
