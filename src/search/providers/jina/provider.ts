import { isObject, type JsonObject } from "../../../json/values.ts";
import type { Downgrade, ProviderAnswer } from "../../answer.ts";
import type { ProviderCall, ProviderRefusal, RefusalClass, SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { googleLanguage } from "../google-language.ts";
import { amountOrNull, requiredListOf, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";
import { maxGoogleQuery, withSiteOperators } from "../write-request.ts";
import { jinaFetcher } from "./fetch.ts";

/** A billing unit is what Jina charges at least for ten results. */
const tokensPerUnit = 10_000;

/** Jina, https://jina.ai/reader: results of Google and their pages as text. */
export const jina: SearchProvider = {
  name: "jina",
  title: "Jina",
  defaultBaseUrl: "https://s.jina.ai",
  signing: { in: "header", header: (credential) => ["authorization", `Bearer ${credential}`] },
  capabilities: {
    news: true,
    answer: false,
    rawContent: true,
    depth: false,
    timeRange: false,
    country: true,
    language: true,
    // Jina makes `site:` of them.
    includeDomains: { by: "parameter", maxDomains: 10 },
    excludeDomains: { by: "query", maxDomains: 10 },
    mixesDomainLists: true,
    maxResults: 20,
    resultsPerUnit: 10,
    maxQueryLength: maxGoogleQuery,
    score: false,
    units: { basic: 1, advanced: 1 },
    // Jina charges no more than 2,000,000 tokens.
    maxUnits: 200,
    listPriceUsd: 0.0005,
    fetch: true,
    cacheable: true,
  },
  fetch: jinaFetcher(tokensPerUnit, classifyError),
  reservedOptions: [
    "q",
    "num",
    "count",
    "type",
    // Another engine costs three times as much, pages and descriptions of pictures cost their length.
    "engine",
    "provider",
    "respondWith",
    "withGeneratedAlt",
    "proxyUrl",
  ],
  toRequest,
  readAnswer,
  classifyError,
};

function toRequest(query: ProviderQuery): ProviderCall {
  const { country, language, includeDomains } = query;
  const hl = language === null ? null : googleLanguage(language);
  const unknown: Downgrade = { field: "language", reason: "unknown_value" };
  return {
    method: "POST",
    path: "/",
    // Without it Jina reads every page, which takes seconds and costs the length of the pages.
    headers: query.includeRawContent ? {} : { "x-respond-with": "no-content" },
    body: {
      ...query.options,
      q: withSiteOperators(query.query, [], query.excludeDomains, maxGoogleQuery),
      type: query.type,
      num: query.count,
      ...(country !== null && { gl: country }),
      ...(hl !== null && { hl }),
      ...(includeDomains.length > 0 && { site: includeDomains }),
    },
    downgrades: language !== null && hl === null ? [unknown] : [],
  };
}

function readAnswer(body: JsonObject): ProviderAnswer {
  const usage = isObject(body.meta) && isObject(body.meta.usage) ? body.meta.usage : {};
  const tokens = amountOrNull(usage.tokens);
  return {
    results: resultsOf(requiredListOf(body, "data"), (item) => ({
      title: textOf(item.title),
      url: textOf(item.url),
      snippet: textOf(item.description) || textOf(item.content),
      content: textOrNull(item.content),
      published: textOrNull(item.date) ?? textOrNull(item.publishedTime),
      score: null,
    })),
    answer: null,
    requestId: null,
    units: tokens === null ? null : Math.ceil(tokens / tokensPerUnit),
    costUsd: null,
    usage,
    downgrades: [],
  };
}

/** `{"code", "name", "status", "message", "readableMessage"}`. That nothing was found is an error, too. */
function classifyError(status: number, body: unknown): ProviderRefusal {
  const answer = isObject(body) ? body : {};
  const message = textOrNull(answer.message) ?? textOrNull(answer.readableMessage);
  return { class: classOf(status, message), message, code: textOrNull(answer.name) };
}

function classOf(status: number, message: string | null): RefusalClass {
  if (message !== null && /no search results available/i.test(message)) return "no_results";
  // The key's own budget is spent.
  if (status === 409) return "quota";
  // Jina's policy does not allow the query or a domain.
  return status === 451 ? "request" : refusalOfStatus(status);
}
