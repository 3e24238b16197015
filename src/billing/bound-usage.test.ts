import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { listDimensions, type Quantities, sumOf } from "../dimensions.ts";
import type { Usage } from "../metering/usage.ts";
import { boundUsage } from "./bound-usage.ts";

function usageOf(quantities: Quantities): Usage {
  return { dimensions: listDimensions(quantities), measurement: { input: "provider", output: "provider" } };
}

const quantitiesOf = ({ dimensions }: Usage) =>
  Object.fromEntries(dimensions.map((each) => [each.name, each.quantity]));
const used = usageOf({ input: 600, cache_read: 400, output: 300, web_search: 5 });

test("what is possible stays as it is", () => {
  expect(boundUsage(used, { input: null, output: null })).toBe(used);
  expect(boundUsage(used, { input: 1_000, output: 300 })).toBe(used);
});

test("what is not possible is lowered to what is, each kind of token by its share", () => {
  expect(quantitiesOf(boundUsage(used, { input: 500, output: 299 }))).toEqual({
    input: 300,
    cache_read: 200,
    output: 299,
    web_search: 5,
  });
  expect(quantitiesOf(boundUsage(used, { input: 0, output: null }))).toMatchObject({
    input: 0,
    cache_read: 0,
    output: 300,
  });
});

test("no side is ever above its bound, none is raised, and it falls short of it by rounding at most", () => {
  const count = fc.nat(1_000_000_000);
  const quantities = fc.record({
    input: count,
    cache_read: count,
    cache_write_1h: count,
    output: count,
    output_audio: count,
  });
  const bound = fc.option(fc.nat(2_000_000));
  fc.assert(
    fc.property(quantities, bound, bound, (quantities, input, output) => {
      const bounded = quantitiesOf(boundUsage(usageOf(quantities), { input, output }));
      for (const [side, bound] of [
        ["input", input],
        ["output", output],
      ] as const) {
        const before = sumOf(quantities, "token", side);
        const after = sumOf(bounded, "token", side);
        const possible = Math.min(before, bound ?? before);
        expect(after).toBeLessThanOrEqual(possible);
        expect(after).toBeGreaterThan(possible - 4);
      }
    }),
  );
});
