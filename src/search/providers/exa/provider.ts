import { isObject, type JsonObject } from "../../../json/values.ts";
import type { ProviderAnswer } from "../../answer.ts";
import type { SearchProvider } from "../../provider.ts";
import { amountOrNull, joinedTexts, requiredListOf, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { classifyExaError } from "./errors.ts";
import { exaFetcher } from "./fetch.ts";
import { toExaRequest } from "./request.ts";

/** Exa, https://docs.exa.ai: retrieval by meaning, with passages and whole pages. */
export const exa: SearchProvider = {
  name: "exa",
  title: "Exa",
  defaultBaseUrl: "https://api.exa.ai",
  signing: { in: "header", header: (credential) => ["x-api-key", credential] },
  capabilities: {
    news: true,
    answer: false,
    rawContent: true,
    depth: true,
    timeRange: true,
    country: true,
    language: false,
    includeDomains: { by: "parameter", maxDomains: 100 },
    excludeDomains: { by: "parameter", maxDomains: 100 },
    mixesDomainLists: true,
    maxResults: 100,
    resultsPerUnit: 10,
    maxQueryLength: null,
    // Some kinds of search have one, many have none.
    score: false,
    units: { basic: 1, advanced: 1 },
    maxUnits: 1,
    // A deep search; others cost half of it.
    listPriceUsd: 0.015,
    fetch: true,
    cacheable: true,
  },
  fetch: exaFetcher,
  reservedOptions: [
    "query",
    "numResults",
    "includeDomains",
    "excludeDomains",
    // The kind of search, pages and what is written from them have prices of their own.
    "type",
    "contents",
    "text",
    "highlights",
    "summary",
    "subpages",
    "outputSchema",
    "additionalQueries",
    "stream",
  ],
  toRequest: toExaRequest,
  readAnswer,
  classifyError: classifyExaError,
};

function readAnswer(body: JsonObject): ProviderAnswer {
  const cost = isObject(body.costDollars) ? body.costDollars : {};
  return {
    results: resultsOf(requiredListOf(body, "results"), (item) => ({
      title: textOf(item.title),
      url: textOf(item.url),
      snippet: joinedTexts(item.highlights) || textOf(item.summary) || textOf(item.text),
      content: textOrNull(item.text),
      published: textOrNull(item.publishedDate),
      score: amountOrNull(item.score),
    })),
    answer: null,
    requestId: textOrNull(body.requestId),
    units: null,
    costUsd: amountOrNull(cost.total),
    usage: isObject(body.costDollars) ? { costDollars: cost } : {},
    downgrades: [],
  };
}
