import { amountMicrousd } from "../../billing/money.ts";
import type { ModelPrices, Price } from "../../billing/prices.ts";
import type { Model } from "../names/model.ts";

/** The expected usage of a request, in tokens. */
export interface ExpectedUsage {
  readonly input: number;
  /** The caller's limit for one answer; null if it set none. */
  readonly output: number | null;
  /** The number of answers asked for. */
  readonly answers: number;
}

/** Each kind of input is a line of the bill that is rounded by itself, which can add up to this many micro-USD. */
const maxRounding = 3;

/** Expected length of an answer if no limit is lower: a page of text. */
const typicalOutput = 500;

/** Expected cost of a request in whole micro-USD; null if the model has no prices. */
export function estimatedAmount(prices: ModelPrices | null, expected: ExpectedUsage, model: Model): number | null {
  const bounds = [expected.output, model.maxOutputTokens, model.contextLength].filter((bound) => bound !== null);
  const output = Math.min(typicalOutput, ...bounds);
  return amountOf(prices, expected.input, output * expected.answers);
}

/**
 * Upper bound of the cost of one successful call, in whole micro-USD; null if the model has no prices or its output has
 * no bound.
 * @param maxInput upper bound of the input tokens
 */
export function maxAmount(
  prices: ModelPrices | null,
  maxInput: number,
  { output, answers }: ExpectedUsage,
  model: Model,
): number | null {
  const bounds = [output, model.maxOutputTokens, model.contextLength].filter((bound) => bound !== null);
  if (bounds.length === 0 || prices === null) return null;
  // Input may be priced as any of these, so the highest price bounds it.
  const input = prices.input?.unitMicrousd ?? 0;
  const names = ["cache_write", "cache_write_5m", "cache_write_1h", "cache_read", "cache_miss"] as const;
  const highest = names.reduce((max, name) => Math.max(max, prices[name]?.unitMicrousd ?? 0), input);
  const bounded = prices.input && { ...prices, input: { ...prices.input, unitMicrousd: highest } };
  const amount = amountOf(bounded ?? prices, maxInput, Math.min(...bounds) * answers);
  return amount === null || amount === 0 ? amount : amount + maxRounding;
}

/** Equals the total of a bill. It runs for each candidate of a request, so it allocates no bill. */
function amountOf(prices: ModelPrices | null, input: number, output: number): number | null {
  if (prices === null) return null;
  const read = lineAmount(prices.input, input);
  const written = lineAmount(prices.output, output);
  return read === null || written === null ? null : read + written;
}

function lineAmount(price: Price | undefined, tokens: number): number | null {
  if (tokens === 0) return 0;
  return price ? amountMicrousd(tokens, price.unitMicrousd, price.unit.size) : null;
}
