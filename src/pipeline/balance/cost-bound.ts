import { withMarkup } from "../../billing/markup.ts";
import type { PriceBook } from "../../billing/prices/price-book.ts";
import type { ModelPrices } from "../../billing/prices/prices.ts";
import { type ExpectedUsage, maxUsage } from "../../metering/expected-usage.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import { maxAmount } from "../../routing/choice/cost.ts";
import type { Plan } from "../../routing/choice/plan.ts";
import type { Model } from "../../routing/names/model.ts";
import { maxOfSearches } from "../web-search/search-prices.ts";

/** What a request can cost at most at the dearest candidate, with the markup. Whole micro-USD. */
export interface CostBound {
  readonly maxMicrousd: number;
  /** Maximum tokens of one answer; null if no text is written. */
  readonly maxTokens: number | null;
  /** The same if an answer has at most so many tokens. */
  limitedTo(tokens: number): number;
}

/** Nothing bounds what a request can cost: the model lacks something. */
export interface NoCostBound {
  readonly model: string;
  /** What follows "the model has no": `prices`, names of settings, or what has no price. */
  readonly lacks: string;
}

interface BoundedRequest {
  readonly candidates: readonly Candidate[];
  readonly usage: ExpectedUsage;
  readonly prices: Pick<PriceBook, "pricesOf">;
  readonly markupBasisPoints: number;
  /** Of the plan. */
  readonly searchPrices?: Plan["searchPrices"] | undefined;
}

/** A model at the prices of one of its targets. */
interface PricedModel {
  readonly model: Model;
  readonly prices: ModelPrices | null;
}

/** What a request can cost at most at a model, with the searches that the gateway makes for it; null if nothing bounds it. */
export function maxWithSearches(
  prices: ModelPrices | null,
  usage: ExpectedUsage,
  model: Model,
  searchPrices: Plan["searchPrices"] | undefined,
): number | null {
  const own = maxAmount(prices, usage, model);
  const searches = maxOfSearches(searchPrices, usage, model);
  return own === null || searches === null ? null : own + searches;
}

export function costBound(request: BoundedRequest): CostBound | NoCostBound {
  const { candidates, usage, prices, markupBasisPoints, searchPrices } = request;
  const priced = candidates.map(({ model, target }): PricedModel => {
    return { model, prices: prices.pricesOf(model, target) };
  });
  const max = usage.max();
  const { webSearches } = usage;
  const maxOfFirst = webSearches?.max();
  const once: ExpectedUsage = {
    ...usage,
    max: () => max,
    ...(webSearches && { webSearches: { ...webSearches, max: () => maxOfFirst ?? null } }),
  };
  const amountAt = ({ prices: own, model }: PricedModel, given: ExpectedUsage) =>
    maxWithSearches(own, given, model, searchPrices);
  const unbounded = priced.find((each) => amountAt(each, once) === null);
  if (unbounded) return { model: unbounded.model.id, lacks: lackOf(unbounded, once, searchPrices) };
  const amountOf = (given: ExpectedUsage) => {
    let dearest = 0;
    for (const each of priced) dearest = Math.max(dearest, amountAt(each, given) ?? 0);
    return withMarkup(dearest, markupBasisPoints);
  };
  const { writes } = once;
  return {
    maxMicrousd: amountOf(once),
    maxTokens: writes && priced.reduce((most, { model }) => Math.max(most, answerTokens(writes.maxTokens, model)), 0),
    limitedTo: (tokens) => amountOf(writes ? { ...once, writes: { ...writes, maxTokens: tokens } } : once),
  };
}

/** What a request can cost at most at the candidates of its plan. */
export interface PlanBound {
  readonly bound: CostBound | NoCostBound;
  /** Backends that are left out, since nothing bounds what a search costs there; null if there are none. */
  readonly left: ReadonlySet<string> | null;
}

/** Of the backends of a search, those without a price are left out if others have one. */
export function planBound(plan: Plan, usage: ExpectedUsage, markupBasisPoints: number): PlanBound {
  const { prices, searchPrices } = plan;
  const boundAt = (candidates: readonly Candidate[]) =>
    costBound({ candidates, usage, prices, markupBasisPoints, searchPrices });
  const bound = boundAt(plan.candidates);
  if (!("lacks" in bound) || plan.destination.backends === undefined) return { bound, left: null };
  const isBounded = (candidate: Candidate) => !("lacks" in boundAt([candidate]));
  const covered = plan.candidates.filter(isBounded);
  if (covered.length === 0) return { bound, left: null };
  const left = plan.candidates.filter((candidate) => !covered.includes(candidate));
  return { bound: boundAt(covered), left: new Set(left.map(({ model }) => model.id)) };
}

function answerTokens(asked: number | null, { maxOutputTokens, contextLength }: Model): number {
  return Math.min(asked ?? Infinity, maxOutputTokens ?? Infinity, contextLength ?? Infinity);
}

function lackOf(
  { model, prices }: PricedModel,
  usage: ExpectedUsage,
  searchPrices: Plan["searchPrices"] | undefined,
): string {
  if (maxOfSearches(searchPrices, usage, model) === null) return "price for the searches of its backend";
  if (prices === null) return "prices";
  if (maxUsage(usage, model) !== null) return "price for something that the request uses";
  const isOutputBounded = usage.writes === null || answerTokens(usage.writes.maxTokens, model) !== Infinity;
  return isOutputBounded ? "context_length" : "max_output_tokens and context_length";
}

/** The maximum tokens of one answer with which a request costs at most `amountMicrousd`; 0 if there are none. */
export function tokensWithin(bound: CostBound, amountMicrousd: number): number {
  let covered = 0;
  let beyond = (bound.maxTokens ?? 0) + 1;
  while (beyond - covered > 1) {
    const middle = Math.floor((covered + beyond) / 2);
    if (bound.limitedTo(middle) <= amountMicrousd) covered = middle;
    else beyond = middle;
  }
  return covered;
}
