import { dayMs, quarterMs } from "../../usage/rollup.ts";
import type { TimeRange } from "../../usage/usage-store.ts";

/** Two numbers of each day, by its start. */
export type DayTotals = ReadonlyMap<number, readonly [number, number]>;

/** A prime below 2^26: the product of two numbers below it is exact. */
export const modulus = 67_108_859;

/**
 * A number for the rollups of each day. The total of each is multiplied by a hash of its names and time, so that equal
 * numbers mean equal rollups, in whatever order they were added, and whether whole or record by record. Whoever does not
 * know the seed cannot make two that agree by chance: there are two numbers of 26 bits.
 */
export class RollupChecksums {
  readonly #days = new Map<number, [number, number]>();
  /** That of the last day: most come in the order of their times. */
  #day: [number, number] = [0, 0];
  #dayStart = -1;

  /**
   * @param names a hash of the names, of 32 bits
   * @param total the weighted sums of a rollup, or what a record adds to them
   */
  add(startsAt: number, names: number, total: number): void {
    const start = startsAt - (startsAt % dayMs);
    if (start !== this.#dayStart) this.#find(start);
    const day = this.#day;
    // The time is mixed in so that sums of the same names cannot stand in for each other.
    const hash = mixed(names, startsAt / quarterMs);
    const reduced = total % modulus;
    day[0] = (day[0] + (hash % modulus) * reduced) % modulus;
    day[1] = (day[1] + (mixed(hash, names) % modulus) * reduced) % modulus;
  }

  #find(start: number): void {
    let day = this.#days.get(start);
    if (day === undefined) {
      day = [0, 0];
      this.#days.set(start, day);
    }
    this.#day = day;
    this.#dayStart = start;
  }

  /** What was added, fit for `merge` in another thread. */
  get days(): DayTotals {
    return this.#days;
  }

  /** Adds what was added elsewhere. */
  merge(days: DayTotals): void {
    for (const [start, [one, two]] of days) {
      this.#find(start);
      this.#day[0] = (this.#day[0] + one) % modulus;
      this.#day[1] = (this.#day[1] + two) % modulus;
    }
  }

  /** The time of the days that differ, from the first to the last; null if none does. */
  differenceFrom(other: RollupChecksums): TimeRange | null {
    const none: readonly [number, number] = [0, 0];
    const days = [...new Set([...this.#days.keys(), ...other.#days.keys()])].filter((day) => {
      const [one, two] = this.#days.get(day) ?? none;
      const [otherOne, otherTwo] = other.#days.get(day) ?? none;
      return (one - otherOne) % modulus !== 0 || (two - otherTwo) % modulus !== 0;
    });
    if (days.length === 0) return null;
    // Not by spreading: there may be many.
    const first = days.reduce((a, b) => Math.min(a, b));
    const last = days.reduce((a, b) => Math.max(a, b));
    return { from: first, to: last + dayMs };
  }
}

/** A hash of 32 bits of a hash and a number. */
export function mixed(hash: number, number: number): number {
  let bits = Math.imul(hash ^ Math.imul(number, 0x9e3779b1), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0xc2b2ae35);
  return (bits ^ (bits >>> 13)) >>> 0;
}
