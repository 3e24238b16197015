import { charge, type ChargeFacts, freeCharge, pendingCharge, refundedCharge } from "../billing/charge.ts";
import { chargingRuleOf, chargingRules, type Pays } from "../billing/charging-rules.ts";
import type { PriceBook } from "../billing/prices/price-book.ts";
import { type Charge, type ModelPrices, type TokenPart, tokenParts } from "../billing/prices/prices.ts";
import { type DimensionName, sumOf } from "../dimensions.ts";
import { costOrNull, readProviderCost } from "../billing/provider-cost.ts";
import { amountWithoutMarkup } from "../billing/markup.ts";
import { settledCharge } from "../billing/settled-charge.ts";
import { splitUsage } from "../billing/split-usage.ts";
import type { Usage } from "../metering/usage.ts";
import { heldForModel } from "./balance/fund-request.ts";
import { boundedUsage } from "./balance/usage-bounds.ts";
import type { FinishedRequest } from "./finished-request.ts";
import type { Services } from "./services.ts";
import { addSearches, amountOf, withoutSearches, withSearches } from "./web-search/search-charges.ts";

/**
 * What a request is charged, by the rules and by the price list that it was planned with, and its usage as the record shows
 * it: within what is possible, and with the kinds of tokens that the model prices apart.
 */
export function chargeRequest(
  services: Pick<Services, "prices">,
  finished: FinishedRequest,
  reported: Usage,
): { readonly usage: Usage; readonly billing: Charge } {
  const { searches } = finished;
  const own = withoutSearches(reported, searches);
  const possible = possibleUsage(finished, own);
  const usage = splitUsage(possible, finished.observation?.usage?.parts, pricesOf(services, finished));
  const billing = chargeOf(services, finished, usage);
  return {
    usage: withSearches(usage, searches),
    billing: possible === own ? billing : { ...billing, suspect: true },
  };
}

/** The reported usage of an answer that is charged, within what is possible. The same object if it is possible. */
function possibleUsage(finished: FinishedRequest, reported: Usage): Usage {
  const { model, parsed, funding } = finished;
  if (model === null || parsed === null || paysOf(finished) !== "usage") return reported;
  if (!funding?.heldByModel) return boundedUsage(reported, parsed, model, funding);
  return boundedUsage(reported, parsed, model, { ...funding, heldMicrousd: heldForModel(funding, model) });
}

function paysOf({ status, observation, operation }: FinishedRequest): Pays {
  const end = { status, hasAnswer: observation !== null, isJob: observation?.isPending === true };
  return chargingRules[chargingRuleOf({ ...end, isFree: operation.isFree === true })].pays;
}

type ReportedUsage = NonNullable<NonNullable<FinishedRequest["observation"]>["usage"]>;

/** Whether the request has used up its `Idempotency-Key`: failures have not. */
export function isCharged(finished: FinishedRequest): boolean {
  return paysOf(finished) !== "nothing";
}

/** The price list that the request was planned with: what has changed since does not touch it. */
export function priceBookOf({ prices }: Pick<Services, "prices">, { plan }: FinishedRequest): PriceBook {
  return plan?.prices ?? prices.current;
}

/** The prices of the model that answered, at the target that did; null if there are none. */
function pricesOf(services: Pick<Services, "prices">, finished: FinishedRequest): ModelPrices | null {
  const { model, answeredBy } = finished;
  const target = answeredBy?.candidate.target ?? model?.targets[0];
  return model && target ? priceBookOf(services, finished).pricesOf(model, target) : null;
}

/** Tells which dimensions have a price of their own at the model that answered, under whatever condition. */
export function pricedDimensions(
  services: Pick<Services, "prices">,
  finished: FinishedRequest,
): (name: DimensionName) => boolean {
  const prices = pricesOf(services, finished);
  if (prices === null) return () => false;
  const { dearest, pricedApart } = prices;
  // A part of the tokens (those of sound) is in `dearest` also at the price of all of them.
  const isPart = (name: DimensionName): name is TokenPart => tokenParts.some((part) => part === name);
  return (name) => (isPart(name) ? pricedApart.includes(name) : dearest[name] !== undefined);
}

function factsOf({ context, observation }: FinishedRequest, prices: ModelPrices | null): ChargeFacts {
  const usage = observation?.usage ?? null;
  return {
    at: context.startedAt,
    serviceTier: usage?.serviceTier ?? null,
    providerCost: usage && prices?.isProviderCost ? costOf(usage) : null,
    ...(usage?.rounds && { inputOfLargest: Math.max(...usage.rounds.map(inputOf)) }),
  };
}

function inputOf({ quantities }: ReportedUsage): number {
  return sumOf(quantities, "token", "input");
}

function costOf({ costUsd, raw, rounds }: ReportedUsage): number | null {
  if (rounds !== undefined) {
    const costs = rounds.map(costOf);
    return costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  }
  return costUsd === undefined ? readProviderCost(raw) : costOrNull(costUsd);
}

function chargeOf(services: Pick<Services, "prices">, finished: FinishedRequest, usage: Usage): Charge {
  const { version } = priceBookOf(services, finished);
  const pays = paysOf(finished);
  if (pays === "later") return pendingCharge(version);
  if (pays === "nothing" || !finished.model) return refundedCharge(version);
  if (pays === "free") return freeCharge(version);
  const prices = pricesOf(services, finished);
  const own = charge(usage, prices, version, factsOf(finished, prices));
  return settledCharge(addSearches(own, finished.searches), {
    markupBasisPoints: finished.funding?.account.markupBasisPoints ?? 0,
    heldMicrousd: heldForModel(finished.funding, finished.model),
  });
}

/** The cost of an answer, whether its caller pays for it or not, without its searches and the markup of the caller's account. */
export function providerAmount(
  services: Pick<Services, "prices">,
  finished: FinishedRequest,
  usage: Usage,
  billing: Charge,
): number {
  const { searches, model } = finished;
  if (isCharged(finished) || !model) return Math.max(0, amountWithoutMarkup(billing) - amountOf(searches));
  const prices = pricesOf(services, finished);
  return charge(withoutSearches(usage, searches), prices, 0, factsOf(finished, prices)).amountMicrousd;
}
