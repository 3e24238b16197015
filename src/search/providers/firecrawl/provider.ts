import { AnswerFault } from "../../../dialects/exchange.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { ProviderAnswer, ProviderResult } from "../../answer.ts";
import type { SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { amountOrNull, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { classifyFirecrawlError } from "./errors.ts";
import { firecrawlFetcher } from "./fetch.ts";
import { toFirecrawlRequest } from "./request.ts";

/** Firecrawl, https://docs.firecrawl.dev: search of the web and of news, with the pages scraped on request. */
export const firecrawl: SearchProvider = {
  name: "firecrawl",
  title: "Firecrawl",
  defaultBaseUrl: "https://api.firecrawl.dev",
  signing: { in: "header", header: (credential) => ["authorization", `Bearer ${credential}`] },
  capabilities: {
    news: true,
    answer: false,
    rawContent: true,
    depth: false,
    timeRange: true,
    country: true,
    language: false,
    includeDomains: { by: "parameter", maxDomains: 20 },
    excludeDomains: { by: "parameter", maxDomains: 20 },
    // Both at once are refused.
    mixesDomainLists: false,
    // The vendor gives up to 100. But what the most results may cost is held of a prepaid balance at each search.
    maxResults: 20,
    resultsPerUnit: 10,
    maxQueryLength: 500,
    score: false,
    // A unit is a credit: 2 for each 10 results, and 1 for each page that is scraped.
    units: { basic: 2, advanced: 2 },
    maxUnits: 24,
    listPriceUsd: 0.0064,
    fetch: true,
    cacheable: true,
  },
  fetch: firecrawlFetcher,
  reservedOptions: [
    "query",
    "limit",
    "sources",
    "includeDomains",
    "excludeDomains",
    // These two change the price.
    "scrapeOptions",
    "enterprise",
  ],
  toRequest: toFirecrawlRequest,
  readAnswer,
  classifyError: classifyFirecrawlError,
};

function readAnswer(body: JsonObject, { type }: ProviderQuery): ProviderAnswer {
  const { data, creditsUsed } = body;
  if (body.success === false)
    throw new AnswerFault(textOrNull(body.error) ?? "The provider's answer says that it failed.");
  if (!isObject(data)) throw new AnswerFault("The provider's answer has no object 'data'.");
  // A source without results may be left out.
  const results = resultsOf(type === "news" ? data.news : data.web, readResult);
  const credits = amountOrNull(creditsUsed);
  return {
    results,
    answer: null,
    requestId: textOrNull(body.id),
    units: credits ?? creditsFor(results),
    costUsd: null,
    usage: credits === null ? {} : { creditsUsed },
    downgrades: [],
  };
}

/** With scraped pages a result is a document: what it says of itself may be in `metadata` alone. */
function readResult(item: JsonObject): ProviderResult {
  const metadata = isObject(item.metadata) ? item.metadata : {};
  const status = amountOrNull(metadata.statusCode);
  return {
    title: textOf(item.title) || textOf(metadata.title),
    url: textOf(item.url) || textOf(metadata.sourceURL) || textOf(metadata.url),
    snippet: textOf(item.description) || textOf(item.snippet) || textOf(metadata.description),
    // What was scraped of a page that failed is the text of its error.
    content: status !== null && status >= 400 ? null : textOrNull(item.markdown),
    published: textOrNull(item.date) ?? textOrNull(metadata.publishedTime),
    score: null,
  };
}

/** The credits that the price list asks for these results. */
function creditsFor(results: readonly ProviderResult[]): number {
  return 2 * Math.ceil(results.length / 10) + results.filter(({ content }) => content !== null).length;
}
