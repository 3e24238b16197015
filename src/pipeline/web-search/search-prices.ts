import { type ExpectedUsage, maxWebSearches } from "../../metering/expected-usage.ts";
import { maxAmount } from "../../routing/choice/cost.ts";
import type { Plan } from "../../routing/choice/plan.ts";
import type { Backends } from "../../routing/names/backends.ts";
import type { Model } from "../../routing/names/model.ts";

/** One search of the usual depth. */
const oneSearch: ExpectedUsage = { expected: {}, max: () => ({}), writes: null, searches: "basic" };

/**
 * The plan with what the searches of its models can cost, whether the request asks for any or not: to know that, its
 * conversation would have to be read. The same object if none of them leaves searches to the gateway.
 */
export function withSearchPrices(plan: Plan, backends: Backends): Plan {
  if (!leavesSearches(plan)) return plan;
  const searchPrices = new Map<string, number | null>();
  for (const { model } of plan.candidates) {
    const name = model.webSearch?.backend;
    if (name !== undefined && !searchPrices.has(name)) searchPrices.set(name, dearestOf(name, plan, backends));
  }
  return { ...plan, searchPrices };
}

/** Asked of every request. */
function leavesSearches({ candidates }: Plan): boolean {
  for (const { model } of candidates) if (model.webSearch !== undefined) return true;
  return false;
}

/** Null if a backend behind the name has no price; 0 if there is none, since nothing can be searched then. */
function dearestOf(name: string, { prices }: Plan, backends: Backends): number | null {
  let dearest = 0;
  for (const { model } of backends.find(name)?.members ?? []) {
    const [target] = model.targets;
    if (!target || model.search?.isEnabled === false) continue;
    const amount = maxAmount(prices.pricesOf(model, target), oneSearch, model);
    if (amount === null) return null;
    dearest = Math.max(dearest, amount);
  }
  return dearest;
}

/** What the gateway's searches for an answer of a model can cost at most, in micro-USD; null if they have no price. */
export function maxOfSearches(
  searchPrices: Plan["searchPrices"] | undefined,
  usage: ExpectedUsage,
  model: Model,
): number | null {
  const searches = maxWebSearches(usage, model);
  if (searches === 0 || searchPrices === undefined) return 0;
  const price = searchPrices.get(model.webSearch?.backend ?? "") ?? null;
  return price === null ? null : price * searches;
}
