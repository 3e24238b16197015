import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createDecayedAverage } from "./decayed-average.ts";

const values = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 50 });

describe("a decayed average", () => {
  test("is 0 at first", () => {
    const average = createDecayedAverage();
    expect(average.at(1_000)).toBe(0);
    expect(average.last).toBeNull();
  });

  test("lies between the smallest and the largest value, and starts with the first", () => {
    fc.assert(
      fc.property(values, (all) => {
        const average = createDecayedAverage();
        for (const [place, value] of all.entries()) average.add(value, place);
        const last = average.last ?? Number.NaN;
        expect(last).toBeGreaterThanOrEqual(Math.min(...all) - 1e-6);
        expect(last).toBeLessThanOrEqual(Math.max(...all) + 1e-6);
        expect(average.at(all.length - 1)).toBe(last);
      }),
    );
  });

  test("converges to new values", () => {
    const average = createDecayedAverage();
    average.add(60_000, 0);
    for (let time = 1; time <= 30; time++) average.add(100, time);
    expect(average.last).toBeLessThan(200);
  });

  test("halves with every minute without a value, and never grows", () => {
    const average = createDecayedAverage();
    average.add(800, 0);
    expect(average.at(60_000)).toBe(400);
    expect(average.at(180_000)).toBe(100);
    expect(average.at(-5_000)).toBe(800);
    expect(average.last).toBe(800);
  });
});
