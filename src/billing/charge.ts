import type { Dimension, Usage } from "../metering/usage.ts";
import { amountMicrousd } from "./money.ts";
import { applicableRates, type PriceFacts, priceOf } from "./prices/price-of.ts";
import type { BillingStatus, Charge, LineItem, ModelPrices, Price, RateSet } from "./prices/prices.ts";
import { pricingUnits } from "./prices/pricing-units.ts";

/** What is known of an answer beside its usage. */
export interface ChargeFacts extends PriceFacts {
  /** The provider's own cost of the answer in USD; null if it reports none. */
  readonly providerCost: number | null;
}

const noFacts: ChargeFacts = { at: 0, serviceTier: null, providerCost: null };

/** One USD in micro-USD: the price of a USD of the provider's cost. */
const usdMicrousd = 1_000_000;

const requestOnce: Dimension = { name: "request", quantity: 1, unit: "request" };

/**
 * usage x prices: one line for each dimension of which anything was consumed, and one for the request if that has a
 * price. What has no price gets a line of 0 and makes the whole charge `unpriced`. If the provider's own cost is passed
 * through and the provider has reported it, that is the only line.
 * @param prices null if the model has none
 */
export function charge(
  usage: Usage,
  prices: ModelPrices | null,
  pricingVersion: number,
  facts: ChargeFacts = noFacts,
): Charge {
  if (prices?.isProviderCost && facts.providerCost !== null) {
    const line = providerCostLine(facts.providerCost);
    const { amountMicrousd: amount } = line;
    return { status: amount === 0 ? "free" : "charged", amountMicrousd: amount, pricingVersion, lineItems: [line] };
  }
  const sets = prices && applicableRates(prices, usage.dimensions, facts);
  const lineItems: LineItem[] = [];
  let amount = 0;
  let isUnpriced = false;
  let hasPrice = false;
  let cacheSaved = 0;
  for (const dimension of usage.dimensions) {
    // A search is on the bill even if it cost no unit.
    if (dimension.quantity === 0 && dimension.name !== "web_search") continue;
    const price = sets && priceOf(dimension.name, dimension.variant ?? null, sets);
    const line = lineItem(dimension, price);
    lineItems.push(line);
    amount += line.amountMicrousd;
    if (dimension.name === "cache_read" && sets) cacheSaved = savedBy(line, sets);
    if (price === null) isUnpriced = true;
    else if (price.unitMicrousd > 0) hasPrice = true;
  }
  const priceOfRequest = sets && priceOf("request", null, sets);
  if (priceOfRequest) {
    const line = lineItem(requestOnce, priceOfRequest);
    lineItems.push(line);
    amount += line.amountMicrousd;
    if (line.unitMicrousd > 0) hasPrice = true;
  }
  const status =
    lineItems.length === 0 ? statusOfNothing(prices) : isUnpriced ? "unpriced" : hasPrice ? "charged" : "free";
  const sum: Charge = { status, amountMicrousd: amount, pricingVersion, lineItems };
  return cacheSaved === 0 ? sum : { ...sum, cacheSavedMicrousd: cacheSaved };
}

/** What a line of cached input would have come to as input, less what it came to; 0 if either has no price. */
function savedBy(
  { quantity, unitSize, unitMicrousd, amountMicrousd: paid }: LineItem,
  sets: readonly RateSet[],
): number {
  const input = priceOf("input", null, sets);
  if (input === null || (input.unitMicrousd === unitMicrousd && input.unit.size === unitSize)) return 0;
  return amountMicrousd(quantity, input.unitMicrousd, input.unit.size) - paid;
}

/** The charge of a request that failed or was refused: nothing, whatever was consumed. */
export function refundedCharge(pricingVersion: number): Charge {
  return { status: "refunded", amountMicrousd: 0, pricingVersion, lineItems: [] };
}

/** The charge of a job that goes on: what it comes to is known at its end. */
export function pendingCharge(pricingVersion: number): Charge {
  return { status: "pending", amountMicrousd: 0, pricingVersion, lineItems: [] };
}

/** The charge of a request that costs nothing, whatever the model's prices. */
export function freeCharge(pricingVersion: number): Charge {
  return { status: "free", amountMicrousd: 0, pricingVersion, lineItems: [] };
}

function lineItem({ name, quantity }: Dimension, price: Price | null): LineItem {
  const unit = price?.unit ?? pricingUnits[name];
  const unitMicrousd = price?.unitMicrousd ?? 0;
  return {
    dimension: name,
    quantity,
    unit: unit.name,
    unitSize: unit.size,
    unitMicrousd,
    amountMicrousd: amountMicrousd(quantity, unitMicrousd, unit.size),
  };
}

/** The provider's cost as a line: so many USD, as the shortest decimal text of the number, at a price of one USD each. */
function providerCostLine(quantity: number): LineItem {
  return {
    dimension: "provider_cost",
    quantity,
    unit: "usd",
    unitSize: 1,
    unitMicrousd: usdMicrousd,
    amountMicrousd: amountMicrousd(quantity, usdMicrousd, 1),
  };
}

/** If nothing was consumed, the model's prices tell whether it would have cost something. */
function statusOfNothing(prices: ModelPrices | null): BillingStatus {
  const all = Object.values(prices?.rates ?? {});
  if (all.length === 0) return "unpriced";
  return all.every(({ unitMicrousd }) => unitMicrousd === 0) ? "free" : "charged";
}
