import { AnswerFault } from "../../../dialects/exchange.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { ProviderAnswer } from "../../answer.ts";
import type { ProviderRefusal, SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";
import { toSerpapiRequest } from "./request.ts";
import { maxGoogleQuery } from "../write-request.ts";

/** SerpApi, https://serpapi.com: the pages of results of Google, one page of about ten a search. */
export const serpapi: SearchProvider = {
  name: "serpapi",
  title: "SerpApi",
  defaultBaseUrl: "https://serpapi.com",
  signing: { in: "query", parameter: "api_key" },
  capabilities: {
    news: true,
    answer: false,
    rawContent: false,
    depth: false,
    timeRange: true,
    country: true,
    language: true,
    // Google reads 32 words of a query.
    includeDomains: { by: "query", maxDomains: 10 },
    excludeDomains: { by: "query", maxDomains: 10 },
    mixesDomainLists: true,
    maxResults: 10,
    resultsPerUnit: 10,
    maxQueryLength: maxGoogleQuery,
    score: false,
    units: { basic: 1, advanced: 1 },
    maxUnits: 1,
    listPriceUsd: 0.015,
    fetch: false,
    cacheable: true,
  },
  reservedOptions: [
    "engine",
    "q",
    "tbm",
    "api_key",
    // The form of the answer, and when it comes.
    "output",
    "async",
    "json_restrictor",
    // Domains.
    "as_sitesearch",
    "as_dt",
    // They are searched instead of the query.
    "kgmid",
    "ludocid",
    "si",
    "uds",
    // It changes the price.
    "zero_trace",
  ],
  toRequest: toSerpapiRequest,
  readAnswer,
  classifyError,
};

function readAnswer(body: JsonObject, { type }: ProviderQuery): ProviderAnswer {
  const metadata = isObject(body.search_metadata) ? body.search_metadata : {};
  const list = type === "news" ? body.news_results : body.organic_results;
  const message = textOrNull(body.error);
  if (metadata.status === "Error" || (!Array.isArray(list) && !saysNothingFound(metadata.status, message))) {
    throw new AnswerFault(message ?? "The provider's answer has no results, and does not say that nothing was found.");
  }
  return {
    results: resultsOf(list, (item) => ({
      title: textOf(item.title),
      url: textOf(item.link),
      snippet: textOf(item.snippet),
      content: null,
      published: textOrNull(item.date),
      score: null,
    })),
    answer: null,
    requestId: textOrNull(metadata.id),
    units: null,
    costUsd: null,
    usage: {},
    downgrades: [],
  };
}

/** A search that finds nothing succeeds, and has an `error` instead of the list. */
function saysNothingFound(status: unknown, message: string | null): boolean {
  return status === "Success" || /hasn't returned any results/i.test(message ?? "");
}

/** `{"error"}`. An account without searches is 429, as too many of them in an hour are. */
function classifyError(status: number, body: unknown): ProviderRefusal {
  const message = isObject(body) ? textOrNull(body.error) : null;
  const isQuota = status === 429 && /run out of searches/i.test(message ?? "");
  return { class: isQuota ? "quota" : refusalOfStatus(status), message, code: null };
}
