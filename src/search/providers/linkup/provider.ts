import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import type { Downgrade, ProviderAnswer } from "../../answer.ts";
import type { ProviderCall, ProviderRefusal, RefusalClass, SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { requiredListOf, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";
import { firstDayOf } from "../write-request.ts";

/** Linkup, https://docs.linkup.so: search with an answer, or with the text of the pages. It tells no dates and no scores. */
export const linkup: SearchProvider = {
  name: "linkup",
  title: "Linkup",
  defaultBaseUrl: "https://api.linkup.so",
  signing: { in: "header", header: (credential) => ["authorization", `Bearer ${credential}`] },
  capabilities: {
    news: false,
    answer: true,
    rawContent: true,
    depth: true,
    timeRange: true,
    country: false,
    language: false,
    includeDomains: { by: "parameter", maxDomains: 100 },
    excludeDomains: { by: "parameter", maxDomains: 100 },
    // Both may be sent, but then only the included ones count.
    mixesDomainLists: false,
    maxResults: 100,
    resultsPerUnit: 100,
    maxQueryLength: null,
    score: false,
    // A deep search costs ten times a standard one; the answers do not say so.
    units: { basic: 1, advanced: 10 },
    maxUnits: 10,
    listPriceUsd: 0.006,
    fetch: false,
    cacheable: true,
  },
  reservedOptions: [
    "q",
    "depth",
    "outputType",
    // They change the form of the answer.
    "structuredOutputSchema",
    "includeSources",
    "includeImages",
    "maxResults",
    "includeDomains",
    "excludeDomains",
  ],
  toRequest,
  readAnswer,
  classifyError,
};

function toRequest(query: ProviderQuery): ProviderCall {
  const { timeRange, includeDomains, excludeDomains, includeAnswer } = query;
  // One call gives either an answer with short snippets of its sources, or the text of pages.
  const downgrades: readonly Downgrade[] =
    includeAnswer && query.includeRawContent
      ? [{ field: "include_raw_content", reason: "unsupported_combination" }]
      : [];
  return {
    method: "POST",
    path: "/v1/search",
    headers: {},
    body: {
      ...query.options,
      q: query.query,
      depth: query.depth === "advanced" ? "deep" : "standard",
      outputType: includeAnswer ? "sourcedAnswer" : "searchResults",
      maxResults: query.count,
      ...(timeRange !== null && { fromDate: firstDayOf(timeRange, query.now) }),
      ...(includeDomains.length > 0 && { includeDomains }),
      ...(excludeDomains.length > 0 && { excludeDomains }),
    },
    downgrades,
  };
}

function readAnswer(body: JsonObject, { includeAnswer }: ProviderQuery): ProviderAnswer {
  const list = requiredListOf(body, includeAnswer ? "sources" : "results");
  const results = resultsOf(list, (item) => ({
    title: textOf(item.name),
    url: textOf(item.url),
    snippet: textOf(includeAnswer ? item.snippet : item.content),
    content: includeAnswer ? null : textOrNull(item.content),
    published: null,
    score: null,
  }));
  const text = includeAnswer ? textOrNull(body.answer) : null;
  return {
    results,
    answer: text === null ? null : { text, citedUrls: results.map(({ url }) => url) },
    requestId: null,
    units: null,
    costUsd: null,
    usage: {},
    downgrades: [],
  };
}

/** What statuses do not tell apart: an empty account and too many requests are both 429, no results are 400. */
const classOfCode = new Map<string, RefusalClass>([
  ["SEARCH_QUERY_NO_RESULT", "no_results"],
  ["INSUFFICIENT_FUNDS_CREDITS", "quota"],
  ["EXCEED_BUDGET_LIMIT", "quota"],
  ["TOO_MANY_REQUESTS", "rate_limit"],
  ["TASKS_QUEUE_LIMIT_EXCEEDED", "rate_limit"],
]);

/** `{"statusCode", "error": {"code", "message", "details": [{"field", "message"}]}}`. */
function classifyError(status: number, body: unknown): ProviderRefusal {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const code = textOrNull(error.code);
  const [detail] = listOrEmpty(error.details);
  return {
    class: classOfCode.get(code ?? "") ?? refusalOfStatus(status),
    // The detail names the field; the message says only that something is invalid.
    message: (isObject(detail) ? textOrNull(detail.message) : null) ?? textOrNull(error.message),
    code,
  };
}
