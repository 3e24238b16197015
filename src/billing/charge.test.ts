import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Dimension, DimensionName, Usage } from "../metering/usage.ts";
import { dimensionNames, maxQuantity } from "../dimensions.ts";
import { charge, freeCharge, refundedCharge } from "./charge.ts";
import { amountMicrousd } from "./money.ts";
import { buildPrices } from "./prices/build-prices.ts";

function usageOf(quantities: Partial<Record<DimensionName, number>>): Usage {
  const dimensions = Object.entries(quantities).map(
    ([name, quantity]) => ({ name, quantity, unit: "token" }) as Dimension,
  );
  return { dimensions, measurement: { input: "provider", output: "provider" } };
}

const prices = buildPrices({ input: 250_000, cache_read: 25_000, output: 2_000_000 });

describe("charge", () => {
  test("makes a line for each dimension, and their sum", () => {
    expect(charge(usageOf({ input: 86, cache_read: 1_920, output: 300 }), prices, 3)).toEqual({
      status: "charged",
      // 21.5 up, 48, 600
      amountMicrousd: 670,
      // As input 480, and 48 were paid.
      cacheSavedMicrousd: 432,
      pricingVersion: 3,
      lineItems: [
        line("input", 86, 250_000, 22),
        line("cache_read", 1_920, 25_000, 48),
        line("output", 300, 2_000_000, 600),
      ],
    });
  });

  test("cache dimensions without a price of their own are priced as input", () => {
    const { status, lineItems } = charge(
      usageOf({ cache_read: 1e6, cache_write: 1e6, cache_write_5m: 1e6, cache_write_1h: 1e6, cache_miss: 1e6 }),
      prices,
      1,
    );
    expect(status).toBe("charged");
    expect(lineItems.map((item) => item.amountMicrousd)).toEqual([25_000, 250_000, 250_000, 250_000, 250_000]);
  });

  test("a price of its own beats input's, a price of 0 too", () => {
    const own = buildPrices({ input: 250_000, cache_miss: 100_000, cache_read: 0 });
    const { amountMicrousd: amount, lineItems } = charge(usageOf({ cache_read: 1e6, cache_miss: 1e6 }), own, 1);
    expect(lineItems.map((item) => item.unitMicrousd)).toEqual([0, 100_000]);
    expect(amount).toBe(100_000);
  });

  test("what cached input saved is told in whole micro-USD, and not at all if it is nothing", () => {
    const saved = (quantities: Parameters<typeof usageOf>[0], configured: Parameters<typeof buildPrices>[0]) =>
      charge(usageOf(quantities), buildPrices(configured), 1).cacheSavedMicrousd;
    // 0.5 up to 1, less 0.05 down to 0.
    expect(saved({ cache_read: 2 }, { input: 250_000, cache_read: 25_000 })).toBe(1);
    expect(saved({ cache_read: 1_000_000 }, { input: 250_000, cache_read: 0 })).toBe(250_000);
    expect(saved({ cache_read: 1_000_000 }, { input: 100, cache_read: 300 })).toBe(-200);
    expect(saved({ cache_read: 1_000_000 }, { input: 250_000 })).toBeUndefined();
    expect(saved({ cache_read: 1_000_000 }, { cache_read: 25_000 })).toBeUndefined();
    expect(saved({ input: 1_000_000 }, { input: 250_000, cache_read: 25_000 })).toBeUndefined();
  });

  test("anything without a price is marked, and costs nothing by itself", () => {
    const partly = charge(usageOf({ input: 1e6, web_search: 2 }), prices, 1);
    expect(partly).toMatchObject({ status: "unpriced", amountMicrousd: 250_000 });
    expect(partly.lineItems[1]).toMatchObject({ dimension: "web_search", unit: "search_unit", amountMicrousd: 0 });
    const whole = charge(usageOf({ input: 10, output: 5 }), null, 1);
    expect(whole).toMatchObject({ status: "unpriced", amountMicrousd: 0 });
    expect(whole.lineItems).toHaveLength(2);
    expect(charge(usageOf({ cache_read: 5 }), buildPrices({ output: 1 }), 1).status).toBe("unpriced");
  });

  test("what is priced at 0 is free, and says so", () => {
    const free = buildPrices({ input: 0, output: 0 });
    expect(charge(usageOf({ input: 10, output: 5 }), free, 1)).toMatchObject({ status: "free", amountMicrousd: 0 });
    expect(charge(usageOf({ input: 10, output: 5 }), buildPrices({ input: 0, output: 1 }), 1).status).toBe("charged");
  });

  test("nothing consumed: no lines, and the status says what it would have been", () => {
    const nothing = usageOf({ input: 0, output: 0 });
    expect(charge(nothing, prices, 2)).toEqual({
      status: "charged",
      amountMicrousd: 0,
      pricingVersion: 2,
      lineItems: [],
    });
    expect(charge(nothing, buildPrices({ input: 0 }), 2).status).toBe("free");
    expect(charge(nothing, null, 2).status).toBe("unpriced");
    expect(charge(nothing, buildPrices({}), 2).status).toBe("unpriced");
  });

  test("the amount is the sum of the lines, each the rounded product, whatever was consumed", () => {
    const names = fc.constantFrom<DimensionName>("input", "output", "cache_read", "cache_write_5m", "image", "second");
    const quantities = fc.dictionary(names, fc.oneof(fc.nat(1e7), fc.constantFrom(0, 0.5, 12.34)));
    const configured = fc.option(fc.dictionary(names, fc.nat(100_000_000)), { nil: null });
    fc.assert(
      fc.property(quantities, configured, (quantities, configured) => {
        const result = charge(usageOf(quantities), configured && buildPrices(configured), 1);
        expect(result.amountMicrousd).toBe(result.lineItems.reduce((sum, item) => sum + item.amountMicrousd, 0));
        expect(Number.isSafeInteger(result.amountMicrousd)).toBe(true);
        expect(result.lineItems.map((item) => item.dimension)).toEqual(
          (Object.keys(quantities) as DimensionName[]).filter((name) => quantities[name] !== 0),
        );
        for (const { quantity, unitMicrousd, unitSize, amountMicrousd: amount } of result.lineItems) {
          expect(amount).toBe(amountMicrousd(quantity, unitMicrousd, unitSize));
        }
        if (result.status === "free") expect(result.amountMicrousd).toBe(0);
      }),
    );
  });
});

test("refundedCharge is nothing, with the version it would have been", () => {
  expect(refundedCharge(4)).toEqual({ status: "refunded", amountMicrousd: 0, pricingVersion: 4, lineItems: [] });
});

test("freeCharge is nothing by nature, with the version it would have been", () => {
  expect(freeCharge(4)).toEqual({ status: "free", amountMicrousd: 0, pricingVersion: 4, lineItems: [] });
});

function line(dimension: DimensionName, quantity: number, unitMicrousd: number, amountMicrousd: number) {
  return { dimension, quantity, unit: "1M_tokens", unitSize: 1_000_000, unitMicrousd, amountMicrousd };
}

test("no count and no price that can be configured make an amount that is not exact", () => {
  const all = Object.fromEntries(dimensionNames.map((name) => [name, 1_000_000_000_000]));
  const quantity = fc.constantFrom(0, 1, maxQuantity);
  fc.assert(
    fc.property(fc.record(Object.fromEntries(dimensionNames.map((name) => [name, quantity]))), (quantities) => {
      const { amountMicrousd: amount, lineItems } = charge(usageOf(quantities), buildPrices(all), 1);
      expect(Number.isSafeInteger(amount)).toBe(true);
      expect(amount).toBe(lineItems.reduce((sum, item) => sum + item.amountMicrousd, 0));
    }),
  );
});
