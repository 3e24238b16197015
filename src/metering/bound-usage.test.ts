import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { boundUsage, unbounded, type UsageBounds } from "./bound-usage.ts";
import { tokensOf } from "./tokens.ts";
import type { Dimension, Usage } from "./usage.ts";

const measurement = { input: "provider", output: "provider" } as const;
const token = (name: "input" | "cache_read" | "output", quantity: number): Dimension => ({
  name,
  quantity,
  unit: "token",
});
const usageOf = (...dimensions: Dimension[]): Usage => ({ dimensions, measurement });

test("usage within its bounds stays the same", () => {
  const usage = usageOf(token("input", 60), token("cache_read", 40), token("output", 9));
  expect(boundUsage(usage, { input: 100, output: 9, others: {} })).toBe(usage);
  expect(boundUsage(usage, unbounded)).toBe(usage);
});

test("kinds of input share one bound, and what was not asked for is left out", () => {
  const images: Dimension = { name: "image", quantity: 3, unit: "image" };
  const usage = usageOf(token("input", 60), token("cache_read", 40), token("output", 9), images);
  expect(boundUsage(usage, { input: 70, output: 5, others: { image: 1 } }).dimensions).toEqual([
    token("input", 60),
    token("cache_read", 10),
    token("output", 5),
    { ...images, quantity: 1 },
  ]);
  expect(boundUsage(usage, { input: null, output: null, others: {} }).dimensions.at(-1)?.quantity).toBe(0);
  expect(boundUsage(usage, unbounded)).toBe(usage);
});

test("no side ever exceeds its bound", () => {
  const count = fc.nat({ max: 1_000_000_000 });
  fc.assert(
    fc.property(count, count, count, count, count, (input, cached, output, mostRead, mostWritten) => {
      const bounds: UsageBounds = { input: mostRead, output: mostWritten, others: {} };
      const bounded = boundUsage(
        usageOf(token("input", input), token("cache_read", cached), token("output", output)),
        bounds,
      );
      const [first, second, last] = bounded.dimensions.map(({ quantity }) => quantity);
      expect(first! + second!).toBe(Math.min(input + cached, mostRead));
      expect(last).toBe(Math.min(output, mostWritten));
      expect(tokensOf(bounded)).toBeLessThanOrEqual(mostRead + mostWritten);
    }),
  );
});
