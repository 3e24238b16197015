import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { type DimensionName, dimensionNames, unitOf } from "../../dimensions.ts";
import type { Usage } from "../../metering/usage.ts";
import { anyDocument, anyFacts, anyRate, night, noon } from "./arbitrary-prices.testkit.ts";
import { buildPrices, hasPrices } from "./build-prices.ts";
import { charge, type ChargeFacts } from "../charge.ts";
import type { PriceDocument } from "./price-document.ts";

function usageOf(quantities: Partial<Record<DimensionName, number>>, variant?: string): Usage {
  const dimensions = dimensionNames.flatMap((name) => {
    const quantity = quantities[name];
    if (quantity === undefined) return [];
    return { name, quantity, unit: unitOf(name), ...(variant === undefined ? {} : { variant }) };
  });
  return { dimensions, measurement: { input: "provider", output: "provider" } };
}

/** The prices of the lines of a charge, in micro-USD a unit. */
function linePrices(document: PriceDocument, usage: Usage, facts: Partial<ChargeFacts> = {}) {
  const all = { at: noon, serviceTier: null, providerCost: null, ...facts };
  const { lineItems } = charge(usage, buildPrices(document), 1, all);
  return Object.fromEntries(lineItems.map(({ dimension, unitMicrousd }) => [dimension, unitMicrousd]));
}

describe("tiers by size", () => {
  const tiered: PriceDocument = {
    input: 1_250_000,
    cache_read: 125_000,
    output: 10_000_000,
    tiers: [
      { above_input_tokens: 200_000, input: 2_500_000, output: 15_000_000 },
      { above_input_tokens: 500_000, input: 4_000_000 },
    ],
  };

  test.each([
    [200_000, 1_250_000, 10_000_000],
    [200_001, 2_500_000, 15_000_000],
    [500_000, 2_500_000, 15_000_000],
    // What the higher tier does not name costs what it costs without any.
    [500_001, 4_000_000, 10_000_000],
  ])("%d tokens of input: the whole request is priced at %d and %d", (input, priceOfInput, priceOfOutput) => {
    expect(linePrices(tiered, usageOf({ input, output: 1 }))).toEqual({ input: priceOfInput, output: priceOfOutput });
  });

  test("count cached input, sound and pictures, and what is written does not count", () => {
    const base = { input: 1_250_000, output: 10_000_000, cache_read: 125_000 };
    const tier = { input: 2_500_000, output: 15_000_000, cache_read: 125_000 };
    expect(linePrices(tiered, usageOf({ input: 1, cache_read: 199_999, output: 900_000 }))).toEqual(base);
    expect(linePrices(tiered, usageOf({ input: 1, cache_read: 200_000, output: 1 }))).toEqual(tier);
    expect(linePrices(tiered, usageOf({ input: 100_000, cache_write_1h: 50_000, input_audio: 50_001 }))).toEqual({
      input: 2_500_000,
      cache_write_1h: 2_500_000,
      input_audio: 2_500_000,
    });
  });
});

describe("service tiers", () => {
  const served: PriceDocument = {
    input: 1_250_000,
    output: 10_000_000,
    tiers: [{ above_input_tokens: 100, input: 2_500_000 }],
    service_tiers: {
      flex: { input: 600_000, output: 5_000_000 },
      priority: { input: 3_000_000, tiers: [{ above_input_tokens: 100, input: 6_000_000 }] },
    },
  };

  test.each([
    [null, 1_250_000, 10_000_000],
    ["default", 1_250_000, 10_000_000],
    ["flex", 600_000, 5_000_000],
    ["Flex", 1_250_000, 10_000_000],
    ["priority", 3_000_000, 10_000_000],
    ["constructor", 1_250_000, 10_000_000],
    ["__proto__", 1_250_000, 10_000_000],
  ])("an answer that says %p is priced at %d and %d", (serviceTier, input, output) => {
    expect(linePrices(served, usageOf({ input: 10, output: 1 }), { serviceTier })).toEqual({ input, output });
  });

  test("may have prices by size of their own, and go before those without", () => {
    expect(linePrices(served, usageOf({ input: 101 }), { serviceTier: "priority" })).toEqual({ input: 6_000_000 });
    expect(linePrices(served, usageOf({ input: 101 }), { serviceTier: "flex" })).toEqual({ input: 600_000 });
  });
});

describe("windows", () => {
  const windowed: PriceDocument = {
    input: 1_250_000,
    output: 10_000_000,
    windows: [{ from: "16:30", to: "00:30", time_zone: "UTC", input: 600_000 }],
    tiers: [{ above_input_tokens: 100, output: 15_000_000 }],
  };

  test("a request that begins within one has its prices", () => {
    expect(linePrices(windowed, usageOf({ input: 1, output: 1 }))).toEqual({ input: 1_250_000, output: 10_000_000 });
    expect(linePrices(windowed, usageOf({ input: 1, output: 1 }), { at: night })).toEqual({
      input: 600_000,
      output: 10_000_000,
    });
    expect(linePrices(windowed, usageOf({ input: 101, output: 1 }), { at: night })).toEqual({
      input: 600_000,
      output: 15_000_000,
    });
  });
});

describe("sizes and qualities", () => {
  const images: PriceDocument = { image: { "1024x1024": 40_000, "high/1024x1024": 167_000, default: 50_000 } };
  const videos: PriceDocument = { video_second: { "1280x720": 100_000 } };

  test.each([
    ["1024x1024", 40_000],
    ["high/1024x1024", 167_000],
    ["low/1024x1024", 40_000],
    ["high/512x512", 50_000],
    [undefined, 50_000],
  ])("a picture of %p costs %d", (variant, price) => {
    expect(linePrices(images, usageOf({ image: 2 }, variant))).toEqual({ image: price });
  });

  test("a size without a price is unpriced if there is no default", () => {
    const usage = usageOf({ video_second: 4 }, "1920x1080");
    expect(charge(usage, buildPrices(videos), 1)).toMatchObject({ status: "unpriced", amountMicrousd: 0 });
    expect(charge(usageOf({ video_second: 4 }, "1280x720"), buildPrices(videos), 1).amountMicrousd).toBe(400_000);
  });
});

test("a price of the request is a line of its own, once", () => {
  const { lineItems, amountMicrousd } = charge(usageOf({ input: 2 }), buildPrices({ input: 1_000_000, request: 7 }), 1);
  expect(lineItems.at(-1)).toEqual({
    dimension: "request",
    quantity: 1,
    unit: "request",
    unitSize: 1,
    unitMicrousd: 7,
    amountMicrousd: 7,
  });
  expect(amountMicrousd).toBe(9);
});

test("a price finer than a micro-USD is exact: it is that of a million units", () => {
  const { lineItems, amountMicrousd } = charge(usageOf({ second: 3_600 }), buildPrices({ second: "0.0000305" }), 1);
  expect(lineItems).toMatchObject([{ unit: "1M_seconds", unitSize: 1_000_000, unitMicrousd: 30_500_000 }]);
  expect(amountMicrousd).toBe(109_800);
});

describe("the provider's own cost", () => {
  const prices = buildPrices({ input: 1_000_000, output: 2_000_000, cost: "provider" });
  const usage = usageOf({ input: 10, output: 5 });
  const facts = { at: noon, serviceTier: null };

  test.each([
    [0.00014, 140],
    [0.0000005, 1],
    [0.00000049, 0],
    [12.345678, 12_345_678],
    [1e-7, 0],
    [0, 0],
  ])("%p USD is the amount, rounded half up to %p", (providerCost, amountMicrousd) => {
    const made = charge(usage, prices, 1, { ...facts, providerCost });
    expect(made).toMatchObject({ amountMicrousd, status: amountMicrousd === 0 ? "free" : "charged" });
    const line = { dimension: "provider_cost", quantity: providerCost, unit: "usd", unitMicrousd: 1_000_000 };
    expect(made.lineItems).toMatchObject([line]);
  });

  test("is not there: the prices stand in, and without them the answer is unpriced", () => {
    expect(charge(usage, prices, 1, { ...facts, providerCost: null }).amountMicrousd).toBe(20);
    const alone = buildPrices({ cost: "provider" });
    expect(charge(usage, alone, 1, { ...facts, providerCost: null })).toMatchObject({ status: "unpriced" });
    expect(hasPrices(alone)).toBe(true);
    expect(hasPrices(buildPrices({}))).toBe(false);
    expect(hasPrices(null)).toBe(false);
  });

  test("means nothing for a model that has its own prices", () => {
    const own = buildPrices({ input: 1_000_000, output: 2_000_000 });
    expect(charge(usage, own, 1, { ...facts, providerCost: 99 }).amountMicrousd).toBe(20);
  });
});

const tokenNames = dimensionNames.filter((name) => unitOf(name) === "token");
const quantity = fc.oneof(fc.nat(1_000), fc.nat(1_000_000_000));
const quantities = fc.dictionary(fc.constantFrom(...tokenNames), quantity);
describe("whatever the prices and the usage", () => {
  test("each line is quantity x price / unit size rounded half up, as rationals say, and the amount is their sum", () => {
    fc.assert(
      fc.property(anyDocument, quantities, anyFacts, (document, used, facts) => {
        const { lineItems, amountMicrousd } = charge(usageOf(used), buildPrices(document), 1, facts);
        let sum = 0n;
        for (const line of lineItems) {
          const exact = BigInt(line.quantity) * BigInt(line.unitMicrousd);
          const size = BigInt(line.unitSize);
          expect(BigInt(line.amountMicrousd)).toBe((2n * exact + size) / (2n * size));
          sum += BigInt(line.amountMicrousd);
        }
        expect(BigInt(amountMicrousd)).toBe(sum);
      }),
    );
  });

  test("more of anything never costs less, as long as it stays within the tier", () => {
    const flat = anyDocument.map(({ tiers: _tiers, ...document }) => document);
    fc.assert(
      fc.property(flat, quantities, fc.constantFrom(...tokenNames), fc.nat(1_000_000), anyFacts, (...all) => {
        const [document, used, name, more, facts] = all;
        const prices = buildPrices(document);
        const before = charge(usageOf(used), prices, 1, facts).amountMicrousd;
        const after = charge(usageOf({ ...used, [name]: (used[name] ?? 0) + more }), prices, 1, facts).amountMicrousd;
        expect(after).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  test("a tier begins with the first token above its threshold", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), anyRate, anyRate, (above, base, tier) => {
        const document = { input: base, tiers: [{ above_input_tokens: above, input: tier }] };
        expect(linePrices(document, usageOf({ input: above }))).toEqual({ input: base });
        expect(linePrices(document, usageOf({ input: above + 1 }))).toEqual({ input: tier });
        expect(linePrices(document, usageOf({ input: 1, cache_read: above }))).toMatchObject({ input: tier });
      }),
    );
  });

  test("no condition leads to a price above the dearest", () => {
    fc.assert(
      fc.property(anyDocument, quantities, anyFacts, (document, used, facts) => {
        const prices = buildPrices(document);
        for (const { dimension, unitMicrousd } of charge(usageOf(used), prices, 1, facts).lineItems) {
          if (dimension === "provider_cost" || dimension === "markup") throw new Error(`no ${dimension} was asked for`);
          expect(prices.dearest[dimension]?.unitMicrousd ?? 0).toBeGreaterThanOrEqual(unitMicrousd);
        }
      }),
    );
  });
});
