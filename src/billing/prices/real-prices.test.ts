import { expect, test } from "bun:test";
import { priceDocument, pricesSchema } from "../../config/file/prices-schema.ts";
import { type Dimension, dimensionNames, unitOf } from "../../dimensions.ts";
import { buildPrices } from "./build-prices.ts";
import { charge } from "../charge.ts";
import { vendors } from "./real-prices.testkit.ts";

/** Charges at real prices are those worked out by hand from the vendor's page. */
for (const [vendor, prices] of Object.entries(vendors)) {
  test.each(prices.map((price) => [price.model, price] as const))(`${vendor}: %s`, (_, price) => {
    const document = priceDocument(pricesSchema.parse(price.prices));
    const dimensions = dimensionNames.flatMap((name): Dimension[] => {
      const quantity = price.used[name];
      if (quantity === undefined) return [];
      return [
        { name, quantity, unit: unitOf(name), ...(price.variant === undefined ? {} : { variant: price.variant }) },
      ];
    });
    const usage = { dimensions, measurement: { input: "provider", output: "provider" } } as const;
    const at = Date.parse(`2026-11-22T${price.time ?? "12:00"}:00Z`);
    const facts = { at, serviceTier: price.tier ?? null, providerCost: null };
    const { status, lineItems, amountMicrousd } = charge(usage, buildPrices(document), 1, facts);
    expect(lineItems.map((line) => line.amountMicrousd)).toEqual([...price.lines]);
    expect(amountMicrousd).toBe(price.lines.reduce((sum, line) => sum + line, 0));
    expect(status).toBe("charged");
  });
}

test("there are at least 40 models", () => {
  const models = Object.values(vendors).flatMap((prices) =>
    prices.map(({ model }) => model.split(" (")[0]?.split(",")[0]),
  );
  expect(new Set(models).size).toBeGreaterThanOrEqual(40);
});
