import type { DimensionName } from "../../dimensions.ts";
import type { PricingUnit } from "./prices.ts";

const millionTokens: PricingUnit = { name: "1M_tokens", size: 1_000_000 };

/** The quantity that the price of each dimension is for. */
export const pricingUnits: Readonly<Record<DimensionName, PricingUnit>> = {
  input: millionTokens,
  output: millionTokens,
  cache_read: millionTokens,
  cache_write: millionTokens,
  cache_write_5m: millionTokens,
  cache_write_1h: millionTokens,
  cache_miss: millionTokens,
  input_audio: millionTokens,
  input_image: millionTokens,
  output_audio: millionTokens,
  output_image: millionTokens,
  web_search: { name: "search_unit", size: 1 },
  image: { name: "image", size: 1 },
  second: { name: "second", size: 1 },
  character: { name: "1M_characters", size: 1_000_000 },
  video_second: { name: "video_second", size: 1 },
  request: { name: "request", size: 1 },
};

/** A million pricing units: what a price buys that is finer than a micro-USD for one. */
export function millionOf({ name, size }: PricingUnit): PricingUnit {
  const million = name.startsWith("1M_") ? name.replace("1M_", "1T_") : `1M_${name}s`;
  return { name: million, size: size * 1_000_000 };
}
