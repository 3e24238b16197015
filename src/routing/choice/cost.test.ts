import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { charge } from "../../billing/charge.ts";
import type { ModelPrices } from "../../billing/prices.ts";
import { pricingUnits } from "../../billing/pricing-units.ts";
import type { DimensionName, Usage } from "../../metering/usage.ts";
import { exampleModel } from "./candidate.testkit.ts";
import { estimatedAmount, maxAmount } from "./cost.ts";

const readNames = ["input", "cache_read", "cache_write", "cache_write_5m", "cache_write_1h", "cache_miss"] as const;

function pricesOf(unitMicrousd: Readonly<Partial<Record<DimensionName, number>>>): ModelPrices {
  const entries = Object.entries(unitMicrousd) as [DimensionName, number][];
  return Object.fromEntries(
    entries.map(([dimension, price]) => [dimension, { dimension, unit: pricingUnits[dimension], unitMicrousd: price }]),
  );
}

const price = fc.nat(200_000_000);
const prices = fc
  .record(
    {
      input: price,
      output: price,
      cache_read: price,
      cache_write: price,
      cache_write_5m: price,
      cache_write_1h: price,
      cache_miss: price,
    },
    { requiredKeys: ["input", "output"] },
  )
  .map(pricesOf);
const tokens = fc.nat(2_000_000);
const bound = fc.option(fc.integer({ min: 1, max: 2_000_000 }));
const expected = fc.record({ input: tokens, output: bound, answers: fc.integer({ min: 1, max: 8 }) });

describe("the maximum amount", () => {
  test("is never below the estimate, and both are whole micro-USD", () => {
    fc.assert(
      fc.property(prices, expected, bound, bound, (all, usage, maxOutputTokens, contextLength) => {
        const model = exampleModel({ id: "m", maxOutputTokens, contextLength });
        const estimated = estimatedAmount(all, usage, model);
        const max = maxAmount(all, usage.input, usage, model);
        expect(Number.isSafeInteger(estimated)).toBe(true);
        if (usage.output === null && maxOutputTokens === null && contextLength === null) expect(max).toBeNull();
        else {
          expect(Number.isSafeInteger(max)).toBe(true);
          expect(max).toBeGreaterThanOrEqual(estimated ?? Number.NaN);
        }
      }),
    );
  });

  test("bounds the charge for every split of the input and every output within the limit", () => {
    const shares = fc.array(fc.nat(300_000), { minLength: readNames.length, maxLength: readNames.length });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(prices, shares, fc.integer({ min: 1, max: 100_000 }), share, (all, read, maxOutput, share) => {
        const usage: Usage = {
          dimensions: [
            ...readNames.map((name, place) => ({ name, quantity: read[place] ?? 0, unit: "token" as const })),
            { name: "output", quantity: Math.floor(maxOutput * share), unit: "token" },
          ],
          measurement: { input: "provider", output: "provider" },
        };
        const total = read.reduce((sum, quantity) => sum + quantity, 0);
        const max = maxAmount(all, total, { input: total, output: maxOutput, answers: 1 }, exampleModel({ id: "m" }));
        // Each line of a charge is rounded by at most half a micro-USD.
        const rounding = readNames.length / 2;
        expect((max ?? Number.NaN) + rounding).toBeGreaterThanOrEqual(charge(usage, all, 0).amountMicrousd);
      }),
    );
  });
});

test("an answer is estimated at a page, within the limits of the caller and the model", () => {
  const all = pricesOf({ input: 1_000_000, output: 2_000_000 });
  const model = exampleModel({ id: "m", maxOutputTokens: 10_000, contextLength: 100_000 });
  expect(estimatedAmount(all, { input: 100, output: null, answers: 1 }, model)).toBe(1_100);
  expect(estimatedAmount(all, { input: 100, output: 20, answers: 3 }, model)).toBe(220);
  expect(estimatedAmount(all, { input: 100, output: null, answers: 1 }, { ...model, maxOutputTokens: 10 })).toBe(120);
  expect(maxAmount(all, 200, { input: 100, output: null, answers: 1 }, model)).toBe(20_203);
});

test("without a price for a consumed dimension the amount is null", () => {
  const model = exampleModel({ id: "m", maxOutputTokens: 10 });
  expect(estimatedAmount(null, { input: 1, output: 1, answers: 1 }, model)).toBeNull();
  expect(maxAmount(null, 1, { input: 1, output: 1, answers: 1 }, model)).toBeNull();
  expect(estimatedAmount(pricesOf({ input: 5 }), { input: 1, output: 1, answers: 1 }, model)).toBeNull();
  expect(estimatedAmount(pricesOf({ input: 1_000_000 }), { input: 7, output: 0, answers: 1 }, model)).toBe(7);
  expect(estimatedAmount(pricesOf({ input: 0, output: 0 }), { input: 7, output: 1, answers: 1 }, model)).toBe(0);
});
