// STAND-IN by the owner so that the gateway runs: overwrite this whole file with the real one.
import type { Usage } from "../metering/usage.ts";
import type { Charge, ModelPrices } from "./prices.ts";
export function refundedCharge(version: number): Charge { return { status: "refunded", amountMicrousd: 0, pricingVersion: version, lineItems: [] }; }
export function charge(usage: Usage, prices: ModelPrices | null, version: number): Charge {
  const lineItems = usage.dimensions.flatMap((d) => { const p = prices?.[d.name]; return p ? [{ dimension: d.name, quantity: d.quantity, unit: p.unit.name, unitSize: p.unit.size, unitMicrousd: p.unitMicrousd, amountMicrousd: Math.round(d.quantity * p.unitMicrousd / p.unit.size) }] : []; });
  return { status: prices ? "charged" : "unpriced", amountMicrousd: lineItems.reduce((s, l) => s + l.amountMicrousd, 0), pricingVersion: version, lineItems };
}
