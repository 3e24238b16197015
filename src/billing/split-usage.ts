import {
  type Dimension,
  type DimensionName,
  dimensionNames,
  type MutableQuantities,
  type Quantities,
  unitOf,
} from "../dimensions.ts";
import type { Usage } from "../metering/usage.ts";
import { type ModelPrices, type TokenPart, tokenParts } from "./prices/prices.ts";

/** Dimensions that a kind of token is a part of as long as it is not priced apart, in the order it is taken from them. */
const wholes: Readonly<Record<TokenPart, readonly DimensionName[]>> = {
  input_audio: ["input", "cache_miss"],
  input_image: ["input", "cache_miss"],
  output_audio: ["output"],
  output_image: ["output"],
};

/**
 * The usage with the kinds of tokens that the model prices apart as dimensions of their own. Each token stays in one
 * dimension, and the sums stay what they were.
 * @param parts how many of the uncached tokens are of each kind, as the provider reports it
 */
export function splitUsage(usage: Usage, parts: Quantities | undefined, prices: ModelPrices | null): Usage {
  if (parts === undefined || prices === null || prices.pricedApart.length === 0) return usage;
  const quantities: MutableQuantities = {};
  for (const { name, quantity } of usage.dimensions) quantities[name] = quantity;
  let isSplit = false;
  for (const part of tokenParts) {
    let rest = prices.pricedApart.includes(part) ? (parts[part] ?? 0) : 0;
    for (const whole of wholes[part]) {
      const taken = Math.min(rest, quantities[whole] ?? 0);
      if (taken === 0) continue;
      rest -= taken;
      quantities[whole] = (quantities[whole] ?? 0) - taken;
      quantities[part] = (quantities[part] ?? 0) + taken;
      isSplit = true;
    }
  }
  return isSplit ? { ...usage, dimensions: withTokens(usage.dimensions, quantities) } : usage;
}

/** The dimensions with these quantities of tokens, those that are new among them. Of others there may be several of one name. */
function withTokens(dimensions: readonly Dimension[], quantities: Quantities): Dimension[] {
  return dimensionNames.flatMap((name): readonly Dimension[] => {
    const unit = unitOf(name);
    if (unit !== "token") return dimensions.filter((dimension) => dimension.name === name);
    const quantity = quantities[name];
    return quantity === undefined ? [] : [{ name, unit, quantity }];
  });
}
