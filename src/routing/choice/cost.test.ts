import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { charge } from "../../billing/charge.ts";
import type { ModelPrices } from "../../billing/prices/prices.ts";
import { buildPrices } from "../../billing/prices/build-prices.ts";
import type { PriceDocument } from "../../billing/prices/price-document.ts";
import type { Usage } from "../../metering/usage.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";
import { exampleModel } from "./candidate.testkit.ts";
import { estimatedAmount, maxAmount } from "./cost.ts";

const readNames = ["input", "cache_read", "cache_write", "cache_write_5m", "cache_write_1h", "cache_miss"] as const;

function pricesOf(unitMicrousd: PriceDocument): ModelPrices {
  return buildPrices(unitMicrousd);
}

/** When the requests of these tests begin. */
const at = 1_700_000_000_000;

function usageOf(input: number, maxTokens: number | null, answers = 1, maxInput = input): ExpectedUsage {
  return { expected: { input }, max: () => ({ input: maxInput }), writes: { answers, maxTokens } };
}

const price = fc.nat(200_000_000);
const tokens = fc.nat(2_000_000);
const rates = {
  input: price,
  output: price,
  cache_read: price,
  cache_write: price,
  cache_write_5m: price,
  cache_write_1h: price,
  cache_miss: price,
  input_audio: price,
  output_audio: price,
  request: price,
};
const conditional = fc.record(rates, { requiredKeys: [] });
const prices = fc
  .record({
    base: fc.record(rates, { requiredKeys: ["input", "output"] }),
    tiers: fc.array(conditional.chain((tier) => tokens.map((above) => ({ ...tier, above_input_tokens: above })))),
    window: conditional,
    flex: conditional,
  })
  .map(({ base, tiers, window, flex }) => {
    const windows = [{ from: "22:00", to: "23:00", time_zone: "UTC", ...window }];
    return pricesOf({ ...base, tiers, windows, service_tiers: { flex } });
  });
const bound = fc.option(fc.integer({ min: 1, max: 2_000_000 }));
const expected = fc
  .record({ input: tokens, output: bound, answers: fc.integer({ min: 1, max: 8 }) })
  .map(({ input, output, answers }) => usageOf(input, output, answers));

describe("the greatest amount", () => {
  test("is never below the estimated one, and both are whole micro-USD", () => {
    fc.assert(
      fc.property(prices, expected, bound, bound, (all, usage, maxOutputTokens, room) => {
        // A request that does not fit into a model is not sent to it.
        const contextLength = room && room + (usage.expected.input ?? 0);
        const model = exampleModel({ id: "m", maxOutputTokens, contextLength });
        const estimated = estimatedAmount(all, usage, model, at);
        const greatest = maxAmount(all, usage, model);
        expect(Number.isSafeInteger(estimated)).toBe(true);
        if (usage.writes?.maxTokens === null && maxOutputTokens === null && contextLength === null)
          expect(greatest).toBeNull();
        else {
          expect(Number.isSafeInteger(greatest)).toBe(true);
          expect(greatest).toBeGreaterThanOrEqual(estimated ?? Number.NaN);
        }
      }),
    );
  });

  test("bounds the charge, however what is read is split and whatever is written within the bounds", () => {
    const shares = fc.array(fc.nat(300_000), { minLength: readNames.length, maxLength: readNames.length });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const facts = { at, serviceTier: "flex", providerCost: null };
    fc.assert(
      fc.property(prices, shares, fc.integer({ min: 1, max: 100_000 }), share, (all, read, most, share) => {
        const usage: Usage = {
          dimensions: [
            ...readNames.map((name, place) => ({ name, quantity: read[place] ?? 0, unit: "token" as const })),
            { name: "output", quantity: Math.floor(most * share), unit: "token" },
          ],
          measurement: { input: "provider", output: "provider" },
        };
        const total = read.reduce((sum, quantity) => sum + quantity, 0);
        const greatest = maxAmount(all, usageOf(total, most), exampleModel({ id: "m" }));
        // Each line of a charge is rounded by itself, by half a micro-USD at most.
        const rounding = readNames.length / 2;
        expect((greatest ?? Number.NaN) + rounding).toBeGreaterThanOrEqual(charge(usage, all, 0, facts).amountMicrousd);
      }),
    );
  });
});

test("an answer is expected to be a page long, within what the caller and the model allow", () => {
  const all = pricesOf({ input: 1_000_000, output: 2_000_000 });
  const model = exampleModel({ id: "m", maxOutputTokens: 10_000, contextLength: 100_000 });
  expect(estimatedAmount(all, usageOf(100, null, 1), model, at)).toBe(1_100);
  expect(estimatedAmount(all, usageOf(100, 20, 3), model, at)).toBe(220);
  expect(estimatedAmount(all, usageOf(100, null, 1), { ...model, maxOutputTokens: 10 }, at)).toBe(120);
  expect(maxAmount(all, usageOf(100, null, 1, 200), model)).toBe(20_206);
});

test("without a price for what is consumed nothing is known", () => {
  const model = exampleModel({ id: "m", maxOutputTokens: 10 });
  expect(estimatedAmount(null, usageOf(1, 1, 1), model, at)).toBeNull();
  expect(maxAmount(null, usageOf(1, 1), model)).toBeNull();
  expect(estimatedAmount(pricesOf({ input: 5 }), usageOf(1, 1, 1), model, at)).toBeNull();
  expect(estimatedAmount(pricesOf({ input: 1_000_000 }), usageOf(7, 0, 1), model, at)).toBe(7);
  expect(estimatedAmount(pricesOf({ input: 0, output: 0 }), usageOf(7, 1, 1), model, at)).toBe(0);
});

test("what is not text is compared and bounded in the same way", () => {
  const model = exampleModel({ id: "m" });
  const images: ExpectedUsage = {
    expected: { input: 10, image: 3 },
    max: () => ({ input: 50, image: 3 }),
    writes: null,
  };
  const all = pricesOf({ input: 1_000_000, image: 40_000 });
  expect(estimatedAmount(all, images, model, at)).toBe(120_010);
  expect(maxAmount(all, images, model)).toBe(120_056);
  expect(estimatedAmount(pricesOf({ input: 1 }), images, model, at)).toBeNull();
});
