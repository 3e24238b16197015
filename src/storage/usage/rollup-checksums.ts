import { dayMs } from "../../usage/rollup.ts";
import type { TimeRange } from "../../usage/usage-store.ts";

/**
 * One number for the rollups of each day. The total of each is multiplied by a hash of its names and time, so that equal
 * numbers mean equal rollups, in whatever order they were added, and whether whole or record by record. Whoever does not
 * know the seed cannot make two that agree by chance.
 */
export class RollupChecksums {
  readonly #seed: bigint;
  readonly #days = new Map<number, bigint>();

  /** @param seed the same for all that are compared */
  constructor(seed: bigint) {
    this.#seed = seed;
  }

  /** @param total the weighted sums of a rollup, or what a record adds to them */
  add(startsAt: number, names: string, total: number): void {
    const day = startsAt - (startsAt % dayMs);
    const product = Bun.hash(`${startsAt}\n${names}`, this.#seed) * BigInt(total);
    this.#days.set(day, (this.#days.get(day) ?? 0n) + product);
  }

  /** The time of the days that differ, from the first to the last; null if none does. */
  differenceFrom(other: RollupChecksums): TimeRange | null {
    const days = [...new Set([...this.#days.keys(), ...other.#days.keys()])].filter(
      (day) => (this.#days.get(day) ?? 0n) !== (other.#days.get(day) ?? 0n),
    );
    if (days.length === 0) return null;
    // Not by spreading: there may be many.
    const first = days.reduce((a, b) => Math.min(a, b));
    const last = days.reduce((a, b) => Math.max(a, b));
    return { from: first, to: last + dayMs };
  }
}
