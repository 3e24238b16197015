import type { InputTokens } from "../conversation/usage.ts";
import type { Dimension, DimensionName } from "./usage.ts";

/**
 * The dimensions of what was read. Those of 0 are left out, save `input`; where the provider speaks of cache misses,
 * they take the place of `input`.
 */
export function inputDimensions(tokens: InputTokens): Dimension[] {
  const dimensions: Dimension[] = [];
  if (tokens.input > 0 || tokens.cacheMiss === 0) dimensions.push(tokenDimension("input", tokens.input));
  if (tokens.cacheMiss > 0) dimensions.push(tokenDimension("cache_miss", tokens.cacheMiss));
  if (tokens.cacheRead > 0) dimensions.push(tokenDimension("cache_read", tokens.cacheRead));
  if (tokens.cacheWrite > 0) dimensions.push(tokenDimension("cache_write", tokens.cacheWrite));
  if (tokens.cacheWrite5m > 0) dimensions.push(tokenDimension("cache_write_5m", tokens.cacheWrite5m));
  if (tokens.cacheWrite1h > 0) dimensions.push(tokenDimension("cache_write_1h", tokens.cacheWrite1h));
  return dimensions;
}

export function tokenDimension(name: DimensionName, quantity: number): Dimension {
  return { name, quantity, unit: "token" };
}
