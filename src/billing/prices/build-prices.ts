import { type DimensionName, dimensionNames } from "../../dimensions.ts";
import type { PriceDocument, RatesDocument, TierDocument, WindowDocument } from "./price-document.ts";
import { fallbacks } from "./price-of.ts";
import { type ModelPrices, type Price, type PriceWindow, type RateSet, type SizeTier, tokenParts } from "./prices.ts";
import { millionOf, pricingUnits } from "./pricing-units.ts";
import { readTimeOfDay } from "./time-window.ts";
import { exactRate, type Rate } from "./rate.ts";

/** Puts a checked document in the form in which it is charged by. */
export function buildPrices(document: PriceDocument): ModelPrices {
  const { tiers = [], service_tiers: services = {}, windows = [] } = document;
  const base = rateSet(document);
  const sizeTiers = sizeTiersOf(tiers);
  const serviceTiers = Object.fromEntries(
    Object.entries(services).map(([name, service]) => {
      return [name, { ...rateSet(service), sizeTiers: sizeTiersOf(service.tiers ?? []) }];
    }),
  );
  const priceWindows = windows.map(windowOf);
  const ofServices = Object.values(serviceTiers).flatMap((service) => [service, ...service.sizeTiers]);
  const all: readonly RateSet[] = [base, ...sizeTiers, ...priceWindows, ...ofServices];
  return {
    ...base,
    sizeTiers,
    serviceTiers,
    windows: priceWindows,
    isConditional: all.length > 1,
    isProviderCost: document.cost === "provider",
    pricedApart: tokenParts.filter((part) => all.some(({ rates }) => rates[part] !== undefined)),
    dearest: dearestOf(all),
  };
}

/** Whether there is any price, or a cost that the provider reports. */
export function hasPrices(prices: ModelPrices | null): boolean {
  return prices !== null && (prices.isProviderCost || Object.keys(prices.dearest).length > 0);
}

function rateSet(document: RatesDocument): RateSet {
  const rates: Partial<Record<DimensionName, Price>> = {};
  let variants: Partial<Record<DimensionName, Readonly<Record<string, Price>>>> | null = null;
  for (const name of dimensionNames) {
    const rate = document[name];
    if (rate === undefined) continue;
    if (typeof rate !== "object") rates[name] = priceAt(name, rate);
    else {
      const { default: others, ...named } = rate;
      if (others !== undefined) rates[name] = priceAt(name, others);
      variants ??= {};
      variants[name] = Object.fromEntries(Object.entries(named).map(([key, each]) => [key, priceAt(name, each)]));
    }
  }
  return { rates, variants };
}

function priceAt(dimension: DimensionName, rate: Rate): Price {
  const { unitMicrousd, isPerMillion } = exactRate(rate);
  const unit = pricingUnits[dimension];
  return { dimension, unit: isPerMillion ? millionOf(unit) : unit, unitMicrousd };
}

function sizeTiersOf(tiers: readonly TierDocument[]): SizeTier[] {
  return tiers
    .map((tier) => ({ ...rateSet(tier), aboveInputTokens: tier.above_input_tokens }))
    .toSorted((a, b) => b.aboveInputTokens - a.aboveInputTokens);
}

function windowOf({ from, to, time_zone: timeZone, ...rates }: WindowDocument): PriceWindow {
  // Times were checked when the document was read.
  const window = { fromMinute: readTimeOfDay(from) ?? 0, toMinute: readTimeOfDay(to, true) ?? 0, timeZone };
  return { ...rateSet(rates), window };
}

/** Of each dimension the highest price in any of the sets, those that it falls back to included. */
function dearestOf(sets: readonly RateSet[]): ModelPrices["dearest"] {
  const dearest: Partial<Record<DimensionName, Price>> = {};
  for (const dimension of dimensionNames) {
    const prices = sets.flatMap(({ rates, variants }) =>
      fallbacks[dimension].flatMap((name) => [rates[name] ?? [], Object.values(variants?.[name] ?? {})].flat()),
    );
    const [first, ...others] = prices;
    if (first === undefined) continue;
    dearest[dimension] = others.reduce((high, price) => (isDearer(price, high) ? price : high), first);
  }
  return dearest;
}

function isDearer(one: Price, other: Price): boolean {
  return BigInt(one.unitMicrousd) * BigInt(other.unit.size) > BigInt(other.unitMicrousd) * BigInt(one.unit.size);
}
