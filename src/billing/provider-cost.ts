import { isObject, type JsonObject } from "../json/values.ts";

/** No single answer costs more, in USD: what claims to is not a cost. */
const maxUsd = 10_000;

/** xAI counts its cost in ticks, of which this many are one USD. */
const ticksPerUsd = 10_000_000_000;

/**
 * The cost of an answer in USD as its provider reports it within its usage object: `cost` (OpenRouter),
 * `cost.total_cost` (Perplexity), `cost_in_usd_ticks` (xAI). Null if there is none, or it is not a number from 0 up.
 */
export function readProviderCost(usage: JsonObject): number | null {
  const { cost, cost_in_usd_ticks: ticks } = usage;
  if (cost !== undefined) return costOrNull(isObject(cost) ? cost.total_cost : cost);
  return typeof ticks === "number" ? costOrNull(ticks / ticksPerUsd) : null;
}

/** An amount in USD that may be the cost of one answer; else null. */
export function costOrNull(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= maxUsd ? value : null;
}
