import { type Dimension, type DimensionName, sideOf } from "../../dimensions.ts";
import type { ModelPrices, Price, RateSet, SizeTier } from "./prices.ts";
import { isWithin } from "./time-window.ts";

/**
 * The prices under which a dimension is looked for, in this order: tokens that were read and have no price of their own
 * cost what input costs, those that were written what output costs.
 */
export const fallbacks: Readonly<Record<DimensionName, readonly DimensionName[]>> = {
  input: ["input"],
  cache_read: ["cache_read", "input"],
  cache_write: ["cache_write", "input"],
  cache_write_5m: ["cache_write_5m", "cache_write", "input"],
  cache_write_1h: ["cache_write_1h", "cache_write", "input"],
  cache_miss: ["cache_miss", "input"],
  input_audio: ["input_audio", "input"],
  input_image: ["input_image", "input"],
  output: ["output"],
  output_audio: ["output_audio", "output"],
  output_image: ["output_image", "output"],
  web_search: ["web_search"],
  image: ["image"],
  second: ["second"],
  character: ["character"],
  video_second: ["video_second"],
  request: ["request"],
};

/** What decides between the prices of a model, beside the dimension. */
export interface PriceFacts {
  /** When the request began, in milliseconds since 1970. */
  readonly at: number;
  /** The service tier in the answer's own word; null if it names none. */
  readonly serviceTier: string | null;
  /** Tokens that the largest call has read, if the usage is of several calls. */
  readonly inputOfLargest?: number;
}

/**
 * The sets of prices that apply to a request, the most specific first: the service tier's for its size, the service
 * tier's, those for its size, those for the time, and the base prices.
 */
export function applicableRates(
  prices: ModelPrices,
  dimensions: readonly Dimension[],
  { at, serviceTier, inputOfLargest }: PriceFacts,
): readonly RateSet[] {
  if (!prices.isConditional) return [prices];
  const sets: RateSet[] = [];
  const inputTokens = inputOfLargest ?? inputOf(dimensions);
  const isAbove = (tier: SizeTier) => inputTokens > tier.aboveInputTokens;
  if (serviceTier !== null && Object.hasOwn(prices.serviceTiers, serviceTier)) {
    const service = prices.serviceTiers[serviceTier];
    const size = service?.sizeTiers.find(isAbove);
    if (size) sets.push(size);
    if (service) sets.push(service);
  }
  const size = prices.sizeTiers.find(isAbove);
  if (size) sets.push(size);
  const window = prices.windows.find((each) => isWithin(each.window, at));
  if (window) sets.push(window);
  sets.push(prices);
  return sets;
}

/** All tokens that were read, cached ones included. */
function inputOf(dimensions: readonly Dimension[]): number {
  let sum = 0;
  for (const { name, quantity, unit } of dimensions) {
    if (unit === "token" && sideOf(name) === "input") sum += quantity;
  }
  return sum;
}

/** The price of a dimension, from the first set that has one; null if none has. */
export function priceOf(name: DimensionName, variant: string | null, sets: readonly RateSet[]): Price | null {
  for (const fallback of fallbacks[name]) {
    for (const set of sets) {
      const price = set.variants === null ? set.rates[fallback] : priceIn(set, fallback, variant);
      if (price !== undefined) return price;
    }
  }
  return null;
}

/** @param variant `high/1024x1024`: a price of that, else one of `1024x1024`, else the one of all */
function priceIn({ rates, variants }: RateSet, name: DimensionName, variant: string | null): Price | undefined {
  const named = variants?.[name];
  if (named === undefined || variant === null) return rates[name];
  if (Object.hasOwn(named, variant)) return named[variant];
  const size = variant.slice(variant.indexOf("/") + 1);
  return Object.hasOwn(named, size) ? named[size] : rates[name];
}

/** Whether a model has a price for this variant of a dimension, under any condition. */
export function namesVariant(prices: ModelPrices, name: DimensionName, variant: string): boolean {
  const services = Object.values(prices.serviceTiers).flatMap((service) => [service, ...service.sizeTiers]);
  const sets: readonly RateSet[] = [prices, ...prices.sizeTiers, ...prices.windows, ...services];
  return sets.some(({ variants }) => Object.hasOwn(variants?.[name] ?? {}, variant));
}
