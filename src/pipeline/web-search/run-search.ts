import type { Identity } from "../../access/identity.ts";
import { charge } from "../../billing/charge.ts";
import type { PriceBook } from "../../billing/prices/price-book.ts";
import type { FoundPage, SearchOutcome } from "../../conversation/parts.ts";
import { listDimensions } from "../../dimensions.ts";
import { GatewayError } from "../../errors.ts";
import type { RequestHeaders } from "../../http/headers.ts";
import { isObject, type JsonObject, listOrEmpty, parseBody, stringOrNull } from "../../json/values.ts";
import { boundUsage, unbounded } from "../../metering/bound-usage.ts";
import { readSearch, search } from "../../search/operation.ts";
import type { Attempt } from "../attempt/attempt.ts";
import { findAnswer } from "../attempt/find-answer.ts";
import { planRequest } from "../plan-request.ts";
import { noCandidate } from "../refusals.ts";
import type { Cancellable } from "../request-context.ts";
import { wayOf } from "../request-way.ts";
import type { Services } from "../services.ts";
import { type Answered, asAnswered, ParsedRequest } from "../stages.ts";
import type { RanSearch } from "./ran-search.ts";

export interface SearchSetting {
  readonly services: Services;
  readonly identity: Identity;
  /** The price list of the request that it is made for. */
  readonly prices: PriceBook;
  /** Milliseconds of the steady clock; null if there is no deadline. */
  readonly deadlineAt: number | null;
  /** Of the request that it is made for: they say whether a kept answer will do. */
  readonly headers: RequestHeaders;
}

export interface MadeSearch {
  readonly outcome: SearchOutcome;
  readonly ran: RanSearch;
  /** It failed without a call, since each backend had as many calls in flight as it may have. */
  readonly foundNoSlot: boolean;
}

/**
 * Makes one search on the path of all searches: planned, sent, retried and judged as that of `POST /v1/search` is, but without
 * a record of its own. A search that fails is an outcome.
 * @param body in the words of `POST /v1/search`
 * @throws the reason of a cancellation
 */
export async function runSearch(setting: SearchSetting, context: Cancellable, body: JsonObject): Promise<MadeSearch> {
  const { services, identity, prices, deadlineAt, headers } = setting;
  const attempts: Attempt[] = [];
  let receipt: RanSearch["receipt"] = null;
  let foundNoSlot = false;
  try {
    const parsed = new ParsedRequest(search, readSearch(body, { identity, headers, now: services.clock.now() }));
    const planned = { ...services, prices: { ...services.prices, current: prices } };
    const plan = await planRequest(planned, identity, parsed);
    const way = () => wayOf(services, { context, plan, attempts });
    try {
      if (plan.candidates.length === 0) throw noCandidate(plan);
      const recalled = parsed.recall(plan.candidates, services);
      const asked = { services, context, parsed, plan, maxOutputTokens: null, deadlineAt, attempts };
      const answered = recalled === null ? await findAnswer(asked) : asAnswered(recalled);
      const { pages, told } = readReport(answered, way());
      receipt = told;
      return { outcome: { pages }, ran: { receipt, attempts, ...chargeOf(setting, answered) }, foundNoSlot };
    } catch (error) {
      const failed = way();
      receipt ??= failed && parsed.failureReceipt(failed);
      foundNoSlot = attempts.length === 0 && failed?.backends.some(({ state }) => state === "full") === true;
      throw error;
    }
  } catch (error) {
    context.throwIfCancelled();
    const stack = error instanceof Error ? error.stack : String(error);
    if (!(error instanceof GatewayError)) {
      services.log.error({ request_id: context.id, stack }, "a search within a conversation failed in the gateway");
    }
    return { outcome: { error: "unavailable" }, ran: { receipt, units: 0, charge: null, attempts }, foundNoSlot };
  }
}

/** The results as a caller of the search would have seen them, and the receipt. */
function readReport({ answer }: Answered, way: ReturnType<typeof wayOf>) {
  const report = answer.kind === "whole" && way !== null ? answer.answer.report?.(way) : undefined;
  if (!report) throw new Error("The answer to a search is no report.");
  const body = parseBody(report.body);
  const pages = listOrEmpty(isObject(body) ? body.results : null).flatMap(pageOf);
  return { pages, told: report.receipt };
}

function pageOf(result: unknown): FoundPage[] {
  if (!isObject(result)) return [];
  const url = stringOrNull(result.url);
  if (url === null) return [];
  const title = stringOrNull(result.title) ?? "";
  return [
    {
      url,
      title: title === "" ? url : title,
      snippet: stringOrNull(result.snippet) ?? "",
      publishedAt: stringOrNull(result.published_at),
    },
  ];
}

function chargeOf({ prices, services }: SearchSetting, { answer, model, target }: Answered) {
  const reported = answer.kind === "whole" ? answer.answer.observation.usage : null;
  const { web_search = 0 } = reported?.quantities ?? {};
  const usage = { dimensions: listDimensions({ web_search }), measurement: null };
  const bounded = boundUsage(usage, {
    ...unbounded,
    others: model?.searchUnits ? { web_search: model.searchUnits.max } : null,
  });
  const facts = { at: services.clock.now(), serviceTier: null, providerCost: reported?.costUsd ?? null };
  const rates = model && target ? prices.pricesOf(model, target) : null;
  return { units: bounded.dimensions[0]?.quantity ?? 0, charge: charge(bounded, rates, prices.version, facts) };
}
