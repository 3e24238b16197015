import { amountMicrousd } from "../../billing/money.ts";
import { applicableRates, fallbacks, type PriceFacts, priceOf } from "../../billing/prices/price-of.ts";
import type { ModelPrices, Price, Rates } from "../../billing/prices/prices.ts";
import {
  type DimensionName,
  dimensionNames,
  listDimensions,
  type MutableQuantities,
  type Quantities,
  type Side,
  sideOf,
  unitOf,
} from "../../dimensions.ts";
import {
  type ExpectedUsage,
  expectedAt,
  maxSearchUnits,
  maxUsage,
  type ModelLimits,
} from "../../metering/expected-usage.ts";
import type { Model } from "../names/model.ts";
import { dearestImage, variantText } from "./image-prices.ts";

/** Each kind of token that is read or written is a line of its own, rounded by itself: together they come to so much more. */
const maxByRounding = 6;

/** What is always one line, so that no rounding is added to its amount. */
const oneLine: ReadonlySet<DimensionName> = new Set(["character", "second"]);

/**
 * Micro-USD that rounding can come to: nothing for the units of a search, for characters and for seconds, which are one line.
 * @param max what the request can use at most
 */
export function roundingOf(usage: ExpectedUsage, limits: ModelLimits, max: Quantities): number {
  if (maxSearchUnits(usage, limits) !== null) return 0;
  if (!usage.isByPrice) return maxByRounding;
  return dimensionNames.every((name) => !max[name] || oneLine.has(name)) ? 0 : maxByRounding;
}

/**
 * Whole micro-USD that a request is expected to cost; null if something that it uses has no price.
 * @param at when it begins, in milliseconds since 1970
 */
export function estimatedAmount(
  prices: ModelPrices | null,
  usage: ExpectedUsage,
  model: Model,
  at: number,
): number | null {
  if (prices === null) return null;
  const quantities = expectedByPrice(usage, model, prices);
  const facts: PriceFacts = { at, serviceTier: null };
  const sets = applicableRates(prices, listDimensions(quantities), facts);
  const variant = variantText(usage.imageVariant);
  return amountOf(quantities, (name) => priceOf(name, name === "image" ? variant : null, sets));
}

/**
 * Whole micro-USD that a request can cost at most, answered once, whatever its tier and time of day; null if something
 * that it uses has no price, or nothing bounds it.
 */
export function maxAmount(prices: ModelPrices | null, usage: ExpectedUsage, model: Model): number | null {
  if (prices === null) return null;
  const dearest = dearestPrices(prices, usage);
  const max = maxByPrice(usage, model, dearest);
  if (max === null) return null;
  // Searches without a price are served unpriced: a request that only may search is not refused for it.
  const used = dearest.web_search ? max : { ...max, web_search: 0 };
  const amount = amountOf(used, (name) => dearest[name]);
  return amount === null || amount === 0 ? amount : amount + roundingOf(usage, model, max);
}

/** What a request is expected to use at a model, as the model's prices measure it. */
export function expectedByPrice(usage: ExpectedUsage, model: ModelLimits, prices: ModelPrices | null): Quantities {
  const quantities = expectedAt(usage, model);
  return usage.isByPrice && prices !== null ? pricedOnly(quantities, prices.dearest) : quantities;
}

/** What a request can use at most at a model, as the model's prices measure it; null if nothing bounds it. */
export function maxByPrice(usage: ExpectedUsage, model: ModelLimits, rates: Rates): Quantities | null {
  const max = maxUsage(usage, model);
  return usage.isByPrice && max !== null ? pricedOnly(max, rates) : max;
}

/** The quantities that have a price; all of them if none has. */
function pricedOnly(quantities: Quantities, rates: Rates): Quantities {
  const priced: MutableQuantities = {};
  for (const name of dimensionNames) {
    const quantity = quantities[name];
    if (quantity === undefined) continue;
    // A model of speech or images may have a price for the tokens of these alone: all that it writes are such.
    const alone = rates[name] === undefined ? tokensAlone[name]?.find((part) => rates[part] !== undefined) : undefined;
    if (alone !== undefined) priced[alone] = quantity;
    else if (fallbacks[name].some((fallback) => rates[fallback] !== undefined)) priced[name] = quantity;
  }
  return Object.keys(priced).length === 0 ? quantities : priced;
}

const tokensAlone: Readonly<Partial<Record<DimensionName, readonly DimensionName[]>>> = {
  input: ["input_image"],
  output: ["output_audio", "output_image"],
};

/** The prices by which `maxAmount` is worked out. */
export function dearestPrices(prices: ModelPrices, { imageVariant }: Pick<ExpectedUsage, "imageVariant"> = {}): Rates {
  const { image, ...dearest } = prices.dearest;
  const input = dearestToken(dearest, "input");
  const output = dearestToken(dearest, "output");
  const ofImage = imageVariant === undefined ? image : dearestImage(prices, imageVariant);
  return { ...dearest, ...(input && { input }), ...(output && { output }), ...(ofImage && { image: ofImage }) };
}

/** The price of the dearest kind of token on one side: what is read or written may turn out to be any of them. */
function dearestToken(dearest: Rates, side: Side): Price | undefined {
  let found = dearest[side];
  for (const name of dimensionNames) {
    const price = dearest[name];
    if (price === undefined || unitOf(name) !== "token" || sideOf(name) !== side) continue;
    if (found && price.unitMicrousd / price.unit.size > found.unitMicrousd / found.unit.size) found = price;
  }
  return found;
}

/** Worked out for each candidate of a request, so it makes no line items, though it comes to what they would. */
function amountOf(quantities: Quantities, priceFor: (name: DimensionName) => Price | null | undefined): number | null {
  const request = priceFor("request");
  let total = request ? lineAmount(request, 1) : 0;
  for (const name of dimensionNames) {
    const quantity = quantities[name] ?? 0;
    const line = quantity === 0 ? 0 : lineAmount(priceFor(name), quantity);
    total = total === null || line === null ? null : total + line;
  }
  return total;
}

function lineAmount(price: Price | null | undefined, quantity: number): number | null {
  if (quantity === 0) return 0;
  return price ? amountMicrousd(quantity, price.unitMicrousd, price.unit.size) : null;
}
