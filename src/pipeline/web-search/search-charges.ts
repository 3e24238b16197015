import type { BillingStatus, Charge } from "../../billing/prices/prices.ts";
import { addQuantity, listDimensions, type MutableQuantities } from "../../dimensions.ts";
import type { JsonObject } from "../../json/values.ts";
import type { Usage } from "../../metering/usage.ts";
import type { Attempt } from "../attempt/attempt.ts";
import type { RanSearch } from "./ran-search.ts";

type Searches = readonly RanSearch[] | null;

/** Billing units of all searches. */
export function unitsOf(searches: Searches): number {
  return searches === null ? 0 : searches.reduce((sum, { units }) => sum + units, 0);
}

/** What was used beside the searches that the gateway has made. The same object if it has made none. */
export function withoutSearches(usage: Usage, searches: Searches): Usage {
  return withUnits(usage, -unitsOf(searches));
}

/** What was used, and the searches. */
export function withSearches(usage: Usage, searches: Searches): Usage {
  return withUnits(usage, unitsOf(searches));
}

function withUnits(usage: Usage, units: number): Usage {
  if (units === 0) return usage;
  const known = usage.dimensions.find(({ name }) => name === "web_search")?.quantity ?? 0;
  const others = usage.dimensions.filter(({ name }) => name !== "web_search");
  const quantities: MutableQuantities = {};
  addQuantity(quantities, "web_search", known + units);
  return { ...usage, dimensions: [...others, ...listDimensions(quantities)] };
}

/** The charge of an answer with that of its searches: each is a line of its own, at the price of its backend. */
export function addSearches(charge: Charge, searches: Searches): Charge {
  if (searches === null) return charge;
  let sum = charge;
  for (const { charge: added } of searches) {
    if (added === null || added.lineItems.length === 0) continue;
    sum = {
      ...sum,
      status: jointStatus(sum, added),
      amountMicrousd: sum.amountMicrousd + added.amountMicrousd,
      lineItems: [...sum.lineItems, ...added.lineItems],
    };
  }
  return sum;
}

function jointStatus(one: Charge, other: Charge): BillingStatus {
  const statuses = [one.status, other.status];
  if (statuses.includes("unpriced")) return "unpriced";
  return statuses.includes("charged") ? "charged" : "free";
}

/** The charges of all searches, in micro-USD. */
export function amountOf(searches: Searches): number {
  return searches === null ? 0 : searches.reduce((sum, { charge }) => sum + (charge?.amountMicrousd ?? 0), 0);
}

/** How each search was made, for the record; null if there was none. */
export function receiptOf(searches: Searches): JsonObject | null {
  if (searches === null || searches.length === 0) return null;
  return {
    searches: searches.map(({ receipt, units, charge }) => ({
      status: charge === null ? "failed" : "succeeded",
      web_search_billable_units: units,
      ...receipt,
    })),
  };
}

/** What the searches and the further rounds have cost by themselves: all rounds of the model count as its first. */
export function costsOf(searches: readonly RanSearch[]): ReadonlyMap<Attempt, number> {
  const costs = new Map<Attempt, number>();
  for (const { attempts, charge } of searches) {
    for (const attempt of attempts) if (attempt.hasAnswered) costs.set(attempt, charge?.amountMicrousd ?? 0);
  }
  return costs;
}
