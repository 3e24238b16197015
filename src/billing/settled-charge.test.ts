import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { charge } from "./charge.ts";
import { buildPrices } from "./prices/build-prices.ts";
import { settledCharge } from "./settled-charge.ts";
import type { Usage } from "../metering/usage.ts";

const usage = (input: number, output: number): Usage => ({
  dimensions: [
    { name: "input", quantity: input, unit: "token" },
    { name: "output", quantity: output, unit: "token" },
  ],
  measurement: { input: "provider", output: "provider" },
});

test("a charge within its hold stays as it is, with its markup", () => {
  const given = charge(usage(1_000, 10), buildPrices({ input: 1_000_000, output: 2_000_000 }), 7);
  expect(settledCharge(given, { markupBasisPoints: 0, heldMicrousd: null })).toBe(given);
  expect(settledCharge(given, { markupBasisPoints: 0, heldMicrousd: 1_020 })).toBe(given);
  expect(settledCharge(given, { markupBasisPoints: 1_000, heldMicrousd: 1_122 }).amountMicrousd).toBe(1_122);
});

test("a charge above its hold is cut, and its lines still sum to it", () => {
  const given = charge(usage(1_000, 10), buildPrices({ input: 1_000_000, output: 2_000_000 }), 7);
  const cut = settledCharge(given, { markupBasisPoints: 0, heldMicrousd: 1_009 });
  expect(cut).toMatchObject({ amountMicrousd: 1_008, suspect: true });
  expect(cut.lineItems.map(({ quantity, amountMicrousd }) => [quantity, amountMicrousd])).toEqual([
    [1_000, 1_000],
    [4, 8],
  ]);
});

test("a provider's own cost above its hold is cut to the micro-USD", () => {
  const facts = { at: 0, serviceTier: null, providerCost: 0.05 };
  const given = charge(usage(1, 1), buildPrices({ input: 0, cost: "provider" }), 7, facts);
  const cut = settledCharge(given, { markupBasisPoints: 0, heldMicrousd: 30_001 });
  expect(cut).toMatchObject({ amountMicrousd: 30_001, suspect: true });
  expect(cut.lineItems).toMatchObject([{ dimension: "provider_cost", quantity: 0.030001, amountMicrousd: 30_001 }]);
});

test("no charge ever exceeds its hold, and its lines sum to it", () => {
  const count = fc.nat(3_000_000);
  const price = fc.nat(200_000_000);
  fc.assert(
    fc.property(
      count,
      count,
      price,
      price,
      fc.integer({ min: -9_999, max: 30_000 }),
      fc.nat(1_000_000_000),
      (read, written, input, output, markupBasisPoints, heldMicrousd) => {
        const given = charge(usage(read, written), buildPrices({ input, output }), 1);
        const settled = settledCharge(given, { markupBasisPoints, heldMicrousd });
        expect(settled.amountMicrousd).toBeLessThanOrEqual(heldMicrousd);
        expect(settled.amountMicrousd).toBeGreaterThanOrEqual(0);
        const sum = settled.lineItems.reduce((total, { amountMicrousd }) => total + amountMicrousd, 0);
        expect(sum).toBe(settled.amountMicrousd);
      },
    ),
  );
});
