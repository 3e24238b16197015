import { isObject, type JsonObject } from "../../../json/values.ts";
import type { ProviderAnswer } from "../../answer.ts";
import type { SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { amountOrNull, requiredListOf, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { classifyTavilyError } from "./errors.ts";
import { tavilyFetcher } from "./fetch.ts";
import { toTavilyRequest } from "./request.ts";

/** Tavily, https://docs.tavily.com: search with an answer, news and whole pages. */
export const tavily: SearchProvider = {
  name: "tavily",
  title: "Tavily",
  defaultBaseUrl: "https://api.tavily.com",
  signing: { in: "header", header: (credential) => ["authorization", `Bearer ${credential}`] },
  capabilities: {
    news: true,
    answer: true,
    rawContent: true,
    depth: true,
    timeRange: true,
    country: true,
    language: true,
    includeDomains: { by: "parameter", maxDomains: 20 },
    excludeDomains: { by: "parameter", maxDomains: 20 },
    mixesDomainLists: true,
    maxResults: 20,
    resultsPerUnit: 20,
    maxQueryLength: 400,
    score: true,
    units: { basic: 1, advanced: 2 },
    maxUnits: 2,
    listPriceUsd: 0.008,
    fetch: true,
    cacheable: true,
  },
  fetch: tavilyFetcher,
  reservedOptions: [
    "query",
    "max_results",
    "search_depth",
    // It may choose the advanced depth, which costs more.
    "auto_parameters",
    "topic",
    "include_answer",
    "include_raw_content",
    "include_domains",
    "exclude_domains",
    "include_domains_mode",
    "include_usage",
  ],
  toRequest: toTavilyRequest,
  readAnswer,
  classifyError: classifyTavilyError,
};

function readAnswer(body: JsonObject, { includeAnswer }: ProviderQuery): ProviderAnswer {
  const results = resultsOf(requiredListOf(body, "results"), (item) => ({
    title: textOf(item.title),
    url: textOf(item.url),
    snippet: textOf(item.content),
    content: textOrNull(item.raw_content),
    published: textOrNull(item.published_date),
    score: amountOrNull(item.score),
  }));
  const text = includeAnswer ? textOrNull(body.answer) : null;
  const usage = isObject(body.usage) ? body.usage : {};
  return {
    results,
    // It is written from the results, and cites nothing else.
    answer: text === null ? null : { text, citedUrls: results.map(({ url }) => url) },
    requestId: textOrNull(body.request_id),
    units: amountOrNull(usage.credits),
    costUsd: null,
    usage,
    downgrades: [],
  };
}
