/** Counts the calls of the last minute and how many of them failed. */
export interface OutcomeWindow {
  add(failed: boolean, now: number): void;
  /** Calls of the last minute. */
  calls(now: number): number;
  /** The failed share of them, 0 to 1; 0 if there were none. */
  failureRate(now: number): number;
  clear(): void;
}

const bucketMs = 5_000;
const bucketCount = 12;

/** Counts in buckets of five seconds, so that its size does not depend on the number of calls. */
export function createOutcomeWindow(): OutcomeWindow {
  const calls = new Float64Array(bucketCount);
  const failures = new Float64Array(bucketCount);
  /** The number of the newest bucket, counted from 1970. */
  let newest = 0;

  const forgetOld = (now: number) => {
    const current = Math.floor(now / bucketMs);
    if (current <= newest) return;
    for (let bucket = Math.max(newest + 1, current - bucketCount + 1); bucket <= current; bucket++) {
      calls[bucket % bucketCount] = 0;
      failures[bucket % bucketCount] = 0;
    }
    newest = current;
  };
  const sum = (counts: Float64Array) => counts.reduce((total, count) => total + count, 0);

  return {
    add(failed, now) {
      forgetOld(now);
      const bucket = newest % bucketCount;
      calls[bucket] = (calls[bucket] ?? 0) + 1;
      if (failed) failures[bucket] = (failures[bucket] ?? 0) + 1;
    },
    calls(now) {
      forgetOld(now);
      return sum(calls);
    },
    failureRate(now) {
      forgetOld(now);
      const all = sum(calls);
      return all === 0 ? 0 : sum(failures) / all;
    },
    clear() {
      calls.fill(0);
      failures.fill(0);
    },
  };
}
