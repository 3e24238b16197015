import { amountMicrousd } from "../../billing/money.ts";
import type { ModelPrices, Price } from "../../billing/prices.ts";
import type { Model } from "../names/model.ts";

/** What a request is expected to consume, in tokens. */
export interface ExpectedUsage {
  readonly input: number;
  /** The most that the caller allows for one answer; null where it does not say. */
  readonly output: number | null;
  /** How many answers are asked for. */
  readonly answers: number;
}

/** The kinds of input are lines of their own, each rounded by itself: together they can come to so much more. */
const mostByRounding = 3;

/** How long an answer is expected to be, within the bounds there are: a page of text. */
const usualOutput = 500;

/** Whole micro-USD that a request is expected to cost; null where the model has no prices. */
export function estimatedAmount(prices: ModelPrices | null, expected: ExpectedUsage, model: Model): number | null {
  const bounds = [expected.output, model.maxOutputTokens, model.contextLength].filter((bound) => bound !== null);
  const output = Math.min(usualOutput, ...bounds);
  return amountOf(prices, expected.input, output * expected.answers);
}

/**
 * Whole micro-USD that a request can cost at most, answered once; null where the model has no prices, or nothing bounds
 * what it may write.
 * @param mostInput an upper bound of the tokens read
 */
export function greatestAmount(
  prices: ModelPrices | null,
  mostInput: number,
  { output, answers }: ExpectedUsage,
  model: Model,
): number | null {
  const bounds = [output, model.maxOutputTokens, model.contextLength].filter((bound) => bound !== null);
  if (bounds.length === 0 || prices === null) return null;
  // What is read may be priced as any of these, and the dearest of them bounds it.
  const input = prices.input?.unitMicrousd ?? 0;
  const names = ["cache_write", "cache_write_5m", "cache_write_1h", "cache_read", "cache_miss"] as const;
  const dearest = names.reduce((most, name) => Math.max(most, prices[name]?.unitMicrousd ?? 0), input);
  const bounded = prices.input && { ...prices, input: { ...prices.input, unitMicrousd: dearest } };
  const amount = amountOf(bounded ?? prices, mostInput, Math.min(...bounds) * answers);
  return amount === null || amount === 0 ? amount : amount + mostByRounding;
}

/** Worked out for each candidate of a request, so it makes no bill, though it comes to what one would. */
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
