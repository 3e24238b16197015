/** A bucket of the history, in milliseconds: half an hour. */
export const historyBucketMs = 30 * 60_000;
/** The buckets of a day. */
export const historyBuckets = 48;

/** How the calls of one target ended within the last day, in memory of a fixed size. */
export interface OutcomeHistory {
  /** @param now milliseconds, by a clock that never goes back */
  add(isFailure: boolean, now: number): void;
  /** Adds the buckets of the day that ends with that of `now`, oldest first, to these sums. False if there are none. */
  addTo(sums: OutcomeSums, now: number): boolean;
}

/** Calls in each bucket of a day, oldest first. */
export interface OutcomeSums {
  readonly ok: number[];
  readonly failed: number[];
}

export function noOutcomes(): OutcomeSums {
  const none = () => Array.from({ length: historyBuckets }, () => 0);
  return { ok: none(), failed: none() };
}

export function createOutcomeHistory(): OutcomeHistory {
  // Made for the first call: most targets of a large catalog are never asked.
  let counts: Uint32Array | null = null;
  let newest = 0;

  function forget(until: number): void {
    if (counts === null || until <= newest) return;
    const first = Math.max(newest + 1, until - historyBuckets + 1);
    for (let bucket = first; bucket <= until; bucket++) {
      const place = (bucket % historyBuckets) * 2;
      counts[place] = counts[place + 1] = 0;
    }
    newest = until;
  }

  return {
    add(isFailure, now) {
      const bucket = Math.floor(now / historyBucketMs);
      if (counts === null) {
        counts = new Uint32Array(historyBuckets * 2);
        newest = bucket;
      } else if (bucket > newest) forget(bucket);
      const place = (bucket % historyBuckets) * 2 + (isFailure ? 1 : 0);
      counts[place] = (counts[place] ?? 0) + 1;
    },
    addTo({ ok, failed }, now) {
      const last = Math.floor(now / historyBucketMs);
      forget(last);
      if (counts === null) return false;
      let found = false;
      for (let index = 0; index < historyBuckets; index++) {
        const bucket = last - historyBuckets + 1 + index;
        if (bucket < 0) continue;
        const place = (bucket % historyBuckets) * 2;
        const [good = 0, bad = 0] = [counts[place], counts[place + 1]];
        ok[index] = (ok[index] ?? 0) + good;
        failed[index] = (failed[index] ?? 0) + bad;
        if (good > 0 || bad > 0) found = true;
      }
      return found;
    },
  };
}
