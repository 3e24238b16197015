import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { listDimensions, type Quantities, sumOf } from "../dimensions.ts";
import type { Usage } from "../metering/usage.ts";
import { buildPrices } from "./prices/build-prices.ts";
import { splitUsage } from "./split-usage.ts";

function usageOf(quantities: Quantities): Usage {
  return { dimensions: listDimensions(quantities), measurement: { input: "provider", output: "provider" } };
}

const quantitiesOf = ({ dimensions }: Usage) =>
  Object.fromEntries(dimensions.map((each) => [each.name, each.quantity]));

const heard = usageOf({ input: 100, cache_read: 50, output: 40 });
const parts = { input_audio: 70, input_image: 20, output_audio: 30 };

test("tokens of a kind are a dimension of their own only if the model prices them apart", () => {
  const apart = buildPrices({ input: 1, output: 2, input_audio: 3, output_audio: 4 });
  expect(quantitiesOf(splitUsage(heard, parts, apart))).toEqual({
    input: 30,
    cache_read: 50,
    input_audio: 70,
    output: 10,
    output_audio: 30,
  });
  const together = buildPrices({ input: 1, output: 2 });
  expect(splitUsage(heard, parts, together)).toBe(heard);
  expect(splitUsage(heard, parts, null)).toBe(heard);
  expect(splitUsage(heard, undefined, apart)).toBe(heard);
});

test("a price in a tier or a window alone is a price apart too", () => {
  const flex = buildPrices({ input: 1, service_tiers: { flex: { input_audio: 2 } } });
  expect(quantitiesOf(splitUsage(heard, parts, flex))).toMatchObject({ input: 30, input_audio: 70 });
});

test("no more is split off than was counted, and cache misses are input too", () => {
  const apart = buildPrices({ input: 1, input_audio: 3, input_image: 4 });
  const missed = usageOf({ cache_miss: 60, output: 1 });
  expect(quantitiesOf(splitUsage(missed, parts, apart))).toEqual({ cache_miss: 0, input_audio: 60, output: 1 });
});

test("the sums of both sides stay what they were, whatever is reported", () => {
  const count = fc.nat(1_000);
  const quantities = fc.record(
    { input: count, cache_read: count, cache_miss: count, output: count, web_search: count },
    { requiredKeys: [] },
  );
  const reported = fc.record(
    { input_audio: count, input_image: count, output_audio: count, output_image: count },
    { requiredKeys: [] },
  );
  const all = buildPrices({ input: 1, input_audio: 1, input_image: 1, output_audio: 1, output_image: 1 });
  fc.assert(
    fc.property(quantities, reported, (quantities, reported) => {
      const split = quantitiesOf(splitUsage(usageOf(quantities), reported, all));
      for (const side of ["input", "output"] as const) {
        expect(sumOf(split, "token", side)).toBe(sumOf(quantities, "token", side));
      }
      for (const quantity of Object.values(split)) expect(quantity).toBeGreaterThanOrEqual(0);
      expect(split["web_search"]).toBe(quantities.web_search);
    }),
  );
});
