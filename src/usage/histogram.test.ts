import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  addCount,
  addHistogram,
  addHistogramText,
  bucketOf,
  type Histogram,
  histogramText,
  middleOf,
  percentilesOf,
} from "./histogram.ts";

const duration = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 20_000 }), fc.nat({ max: 2 ** 31 - 1 }));

function histogramOf(durations: readonly number[]): Histogram {
  const histogram: Histogram = [];
  for (const each of durations) addCount(histogram, bucketOf(each), 1);
  return histogram;
}

/** The shortest duration that at least so many percent are not above. */
function exactPercentile(durations: readonly number[], percent: number): number {
  return durations.toSorted((a, b) => a - b)[Math.ceil((durations.length * percent) / 100) - 1] ?? Number.NaN;
}

describe("histograms of durations", () => {
  test("percentiles are within 6.25 % of the exact ones, and exact below 16 ms", () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 400 }), (durations) => {
        const percentiles = percentilesOf(histogramOf(durations));
        for (const [name, percent] of [
          ["p50", 50],
          ["p95", 95],
        ] as const) {
          const exact = exactPercentile(durations, percent);
          const found = percentiles?.[name] ?? Number.NaN;
          if (exact < 16) expect(found).toBe(exact);
          else expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact / 16);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("buckets follow each other without a gap, and the middle of each is in it", () => {
    for (let bucket = 0; bucket < 231; bucket += 1) {
      expect(bucketOf(middleOf(bucket))).toBe(bucket);
      expect(middleOf(bucket + 1)).toBeGreaterThan(middleOf(bucket));
    }
    fc.assert(fc.property(duration, (each) => bucketOf(each + 1) - bucketOf(each) <= 1));
    expect(bucketOf(-5)).toBe(0);
    expect(bucketOf(1e15)).toBe(231);
  });

  test("texts one after another are the sum of what they count, and can be taken off", () => {
    const durations = fc.array(duration, { maxLength: 50 });
    fc.assert(
      fc.property(durations, durations, (some, others) => {
        const sum = histogramOf(some);
        addHistogram(sum, histogramOf(others));
        const read: Histogram = [];
        addHistogramText(read, histogramText(histogramOf(some)) + histogramText(histogramOf(others)));
        expect(read).toEqual(sum);
        addHistogramText(read, histogramText(histogramOf(others)), -1);
        expect(percentilesOf(read)).toEqual(percentilesOf(histogramOf(some)));
      }),
    );
  });

  test("nothing has no percentiles", () => {
    expect(percentilesOf([])).toBeNull();
    expect(percentilesOf([0, 0])).toBeNull();
  });
});
