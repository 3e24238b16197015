/**
 * Exponentially weighted moving average that also decays with time, so that a target that was slow once and has not been
 * asked since is tried again.
 */
export interface DecayedAverage {
  add(value: number, now: number): void;
  /** The decayed average; 0 if there was no value. */
  at(now: number): number;
  /** The average at the time of the last value; null if there was none. */
  readonly last: number | null;
}

/** The weight of the newest value. */
const weight = 0.2;

/** The average halves after this time without a value. */
const halfLifeMs = 60_000;

export function createDecayedAverage(): DecayedAverage {
  let average: number | null = null;
  let updatedAt = 0;
  return {
    add(value, now) {
      average = average === null ? value : average + weight * (value - average);
      updatedAt = now;
    },
    at: (now) => (average === null ? 0 : average * 0.5 ** (Math.max(0, now - updatedAt) / halfLifeMs)),
    get last() {
      return average;
    },
  };
}
