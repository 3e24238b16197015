/**
 * A running average in which the newest values count most, and which fades while nothing new is learned: a target that was
 * slow once and has not been asked since looks better with time, and so is asked again.
 */
export interface DecayedAverage {
  add(value: number, now: number): void;
  /** 0 where nothing is known, or no longer. */
  at(now: number): number;
  /** As it stood at the last value; null where there was none. */
  readonly last: number | null;
}

/** The share of the newest value. */
const weight = 0.2;

/** After so long without a value half of the average is forgotten. */
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
