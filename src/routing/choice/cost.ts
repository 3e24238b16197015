import { amountMicrousd } from "../../billing/money.ts";
import type { ModelPrices, Price } from "../../billing/prices.ts";
import { dimensionNames, type Quantities, sideOf, unitOf } from "../../dimensions.ts";
import { type ExpectedUsage, expectedOutput, maxUsage } from "../../metering/expected-usage.ts";
import type { Model } from "../names/model.ts";

/** The kinds of input are lines of their own, each rounded by itself: together they can come to so much more. */
const maxByRounding = 3;

/** Whole micro-USD that a request is expected to cost; null if something that it uses has no price. */
export function estimatedAmount(prices: ModelPrices | null, usage: ExpectedUsage, model: Model): number | null {
  return prices && amountOf(prices, usage.expected, expectedOutput(usage, model));
}

/**
 * Whole micro-USD that a request can cost at most, answered once; null if something that it uses has no price, or
 * nothing bounds it.
 */
export function maxAmount(prices: ModelPrices | null, usage: ExpectedUsage, model: Model): number | null {
  const max = maxUsage(usage, model);
  if (prices === null || max === null) return null;
  const { output = 0, ...others } = max;
  const amount = amountOf(withDearestInput(prices), others, output);
  return amount === null || amount === 0 ? amount : amount + maxByRounding;
}

/** Input at the price of its dearest kind: what is read may turn out to be any of them. */
function withDearestInput(prices: ModelPrices): ModelPrices {
  if (prices.input === undefined) return prices;
  let dearest = prices.input.unitMicrousd;
  for (const name of dimensionNames) {
    if (unitOf(name) === "token" && sideOf(name) === "input") {
      dearest = Math.max(dearest, prices[name]?.unitMicrousd ?? 0);
    }
  }
  return { ...prices, input: { ...prices.input, unitMicrousd: dearest } };
}

/** Worked out for each candidate of a request, so it makes no line items, though it comes to what they would. */
function amountOf(prices: ModelPrices, quantities: Quantities, output: number): number | null {
  let total = lineAmount(prices.output, output);
  for (const name of dimensionNames) {
    const line = lineAmount(prices[name], quantities[name] ?? 0);
    total = total === null || line === null ? null : total + line;
  }
  return total;
}

function lineAmount(price: Price | undefined, quantity: number): number | null {
  if (quantity === 0) return 0;
  return price ? amountMicrousd(quantity, price.unitMicrousd, price.unit.size) : null;
}
