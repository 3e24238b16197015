import { describe, expect, test } from "bun:test";
import { median, percentile } from "./statistics.ts";

describe("percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

  test("is the value that the share does not exceed", () => {
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
  });

  test("of few values is the largest, of none 0", () => {
    expect(percentile([3, 8], 0.99)).toBe(8);
    expect(percentile([], 0.99)).toBe(0);
  });
});

describe("median", () => {
  test("is the middle of an odd number of values, in whatever order", () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  test("is between the two in the middle of an even number", () => {
    expect(median([4, 1, 2, 9])).toBe(3);
  });
});
