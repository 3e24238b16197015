import { charge } from "../../billing/charge.ts";
import { addMarkup, withMarkup } from "../../billing/markup.ts";
import { amountMicrousd } from "../../billing/money.ts";
import { pricingUnits } from "../../billing/prices/pricing-units.ts";
import type { Charge, LineItem } from "../../billing/prices/prices.ts";
import { type DimensionName, dimensionNames, listDimensions, type Quantities } from "../../dimensions.ts";
import { type ExpectedUsage, maxWebSearches } from "../../metering/expected-usage.ts";
import { nothingUsed } from "../../metering/usage.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import { variantText } from "../../routing/choice/image-prices.ts";
import { dearestPrices, expectedByPrice, maxByPrice, roundingOf } from "../../routing/choice/cost.ts";
import type { Plan } from "../../routing/choice/plan.ts";
import { maxOfSearches } from "../web-search/search-prices.ts";
import { maxWithSearches, type NoCostBound, planBound } from "./cost-bound.ts";

/** What a request would cost. */
export interface Quote {
  /** Where it would be put first. */
  readonly candidate: Candidate;
  /** From an estimate of the tokens. */
  readonly estimated: Charge;
  /** The bound that a hold is worked out from, and its lines; or what bounds nothing. */
  readonly greatest: { readonly amountMicrousd: number; readonly lineItems: readonly QuotedLine[] } | NoCostBound;
}

/** A line of a bound. `rounding` is what rounding each kind of token by itself can come to. */
export type QuotedLine = Omit<LineItem, "dimension"> & { readonly dimension: LineItem["dimension"] | "rounding" };

interface QuotedRequest {
  readonly plan: Plan;
  readonly candidate: Candidate;
  readonly usage: ExpectedUsage;
  readonly markupBasisPoints: number;
  /** When it begins, in milliseconds since 1970. */
  readonly at: number;
}

export function quote({ plan, candidate, usage, markupBasisPoints, at }: QuotedRequest): Quote {
  const { candidates, prices, searchPrices } = plan;
  const pricesOf = ({ model, target }: Candidate) => prices.pricesOf(model, target);
  const { output = 0, ...others } = expectedByPrice(usage, candidate.model, pricesOf(candidate));
  const expected: Quantities = output > 0 ? { ...others, output } : others;
  const variant = variantText(usage.imageVariant);
  const dimensions = listDimensions(expected).map((dimension) =>
    dimension.name === "image" && variant !== null ? { ...dimension, variant } : dimension,
  );
  const used = { ...nothingUsed, dimensions };
  const facts = { at, serviceTier: null, providerCost: null };
  const plain = charge(used, pricesOf(candidate), prices.version, facts);
  const { bound } = planBound(plan, usage, markupBasisPoints);
  const estimated = addMarkup(plain, markupBasisPoints);
  if ("lacks" in bound) return { candidate, estimated, greatest: bound };
  const maxOf = (each: Candidate) => maxWithSearches(pricesOf(each), usage, each.model, searchPrices) ?? 0;
  const dearest = candidates.find((each) => withMarkup(maxOf(each), markupBasisPoints) === bound.maxMicrousd);
  const lineItems = dearest ? boundLines(dearest, pricesOf(dearest), usage, { markupBasisPoints, searchPrices }) : [];
  return { candidate, estimated, greatest: { amountMicrousd: bound.maxMicrousd, lineItems } };
}

/** The lines that a bound is the sum of. */
function boundLines(
  { model }: Candidate,
  prices: ReturnType<Plan["prices"]["pricesOf"]>,
  usage: ExpectedUsage,
  {
    markupBasisPoints,
    searchPrices,
  }: { readonly markupBasisPoints: number; readonly searchPrices: Plan["searchPrices"] | undefined },
): QuotedLine[] {
  if (prices === null) return [];
  const rates = dearestPrices(prices, usage);
  const used = maxByPrice(usage, model, rates) ?? {};
  const max = { ...used, ...(rates.request && { request: 1 }) };
  const searches = searchLine(maxWebSearches(usage, model), maxOfSearches(searchPrices, usage, model) ?? 0);
  const lines = [...dimensionNames.flatMap((name) => boundLine(name, max[name] ?? 0, rates[name])), ...searches];
  const sum = lines.reduce((total, line) => total + line.amountMicrousd, 0);
  if (sum === 0) return lines;
  const amount = roundingOf(usage, model, used);
  const rounding: QuotedLine = {
    dimension: "rounding",
    quantity: amount,
    unit: "microusd",
    unitSize: 1,
    unitMicrousd: 1,
    amountMicrousd: amount,
  };
  const bare: Charge = { status: "charged", amountMicrousd: sum + amount, pricingVersion: 0, lineItems: [] };
  return [...lines, ...(amount > 0 ? [rounding] : []), ...addMarkup(bare, markupBasisPoints).lineItems];
}

/** The searches that the gateway makes, at the dearest backend. */
function searchLine(searches: number, amount: number): LineItem[] {
  if (amount === 0) return [];
  const unit = pricingUnits.web_search;
  return [
    {
      dimension: "web_search",
      quantity: searches,
      unit: unit.name,
      unitSize: unit.size,
      unitMicrousd: amount / searches,
      amountMicrousd: amount,
    },
  ];
}

function boundLine(
  dimension: DimensionName,
  quantity: number,
  price: ReturnType<typeof dearestPrices>[DimensionName],
): LineItem[] {
  if (quantity === 0 || !price) return [];
  const { unit, unitMicrousd } = price;
  const amount = amountMicrousd(quantity, unitMicrousd, unit.size);
  return [{ dimension, quantity, unit: unit.name, unitSize: unit.size, unitMicrousd, amountMicrousd: amount }];
}
