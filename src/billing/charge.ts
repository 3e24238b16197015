import type { Dimension, DimensionName, Usage } from "../metering/usage.ts";
import { amountMicrousd } from "./money.ts";
import type { BillingStatus, Charge, LineItem, ModelPrices, Price } from "./prices.ts";
import { pricingUnits } from "./pricing-units.ts";

/** Tokens that were read: what has no price of its own costs what input costs. */
const pricedAsInput: ReadonlySet<DimensionName> = new Set<DimensionName>([
  "cache_read",
  "cache_write",
  "cache_write_5m",
  "cache_write_1h",
  "cache_miss",
]);

/**
 * usage x prices: one line for each dimension of which anything was consumed. What has no price gets a line of 0 and
 * makes the whole charge `unpriced`.
 * @param prices null where the model has none
 */
export function charge(usage: Usage, prices: ModelPrices | null, pricingVersion: number): Charge {
  const lineItems: LineItem[] = [];
  const pricesUsed: (Price | null)[] = [];
  let total = 0;
  for (const dimension of usage.dimensions) {
    if (dimension.quantity === 0) continue;
    const price = priceOf(dimension.name, prices);
    const line = lineItem(dimension, price);
    pricesUsed.push(price);
    lineItems.push(line);
    total += line.amountMicrousd;
  }
  return { status: statusOf(pricesUsed, prices), amountMicrousd: total, pricingVersion, lineItems };
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

function priceOf(name: DimensionName, prices: ModelPrices | null): Price | null {
  return prices?.[name] ?? (pricedAsInput.has(name) ? prices?.input : undefined) ?? null;
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

/** Where nothing was consumed, the model's prices tell whether it would have cost something. */
function statusOf(pricesUsed: readonly (Price | null)[], prices: ModelPrices | null): BillingStatus {
  const relevant = pricesUsed.length > 0 ? pricesUsed : Object.values(prices ?? {});
  if (relevant.length === 0 || relevant.includes(null)) return "unpriced";
  return relevant.every((price) => price?.unitMicrousd === 0) ? "free" : "charged";
}
