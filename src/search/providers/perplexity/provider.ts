import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import type { ProviderAnswer } from "../../answer.ts";
import type { ProviderRefusal, SearchProvider } from "../../provider.ts";
import { requiredListOf, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";
import { toPerplexityRequest } from "./request.ts";

/** Perplexity's Search API, https://docs.perplexity.ai: ranked pages with long extracts. Its answers are another product. */
export const perplexity: SearchProvider = {
  name: "perplexity",
  title: "Perplexity",
  defaultBaseUrl: "https://api.perplexity.ai",
  signing: { in: "header", header: (credential) => ["authorization", `Bearer ${credential}`] },
  capabilities: {
    news: false,
    answer: false,
    rawContent: true,
    depth: false,
    timeRange: true,
    country: true,
    language: true,
    includeDomains: { by: "parameter", maxDomains: 20 },
    excludeDomains: { by: "parameter", maxDomains: 20 },
    mixesDomainLists: false,
    maxResults: 20,
    resultsPerUnit: 20,
    maxQueryLength: null,
    score: false,
    units: { basic: 1, advanced: 1 },
    maxUnits: 1,
    listPriceUsd: 0.005,
    fetch: false,
    cacheable: true,
  },
  reservedOptions: ["query", "max_results", "search_domain_filter", "search_type"],
  toRequest: toPerplexityRequest,
  readAnswer,
  classifyError,
};

function readAnswer(body: JsonObject): ProviderAnswer {
  return {
    results: resultsOf(requiredListOf(body, "results"), (item) => ({
      title: textOf(item.title),
      url: textOf(item.url),
      snippet: textOf(item.snippet),
      // The extract is the only text there is, and may be most of the page.
      content: textOrNull(item.snippet),
      published: textOrNull(item.date),
      score: null,
    })),
    answer: null,
    requestId: textOrNull(body.id),
    units: null,
    costUsd: null,
    usage: {},
    downgrades: [],
  };
}

/** `{"error": {"message", "type", "code"}}`, or a validator's `{"detail": [{"msg"}]}`. An account without credits is 401, too. */
function classifyError(status: number, body: unknown): ProviderRefusal {
  const answer = isObject(body) ? body : {};
  const error = isObject(answer.error) ? answer.error : {};
  const [first] = listOrEmpty(answer.detail);
  const isQuota = error.type === "insufficient_quota" || error.code === "insufficient_quota";
  return {
    class: isQuota ? "quota" : refusalOfStatus(status),
    message:
      textOrNull(error.message) ?? textOrNull(answer.error) ?? textOrNull(isObject(first) ? first.msg : answer.detail),
    code: textOrNull(error.type) ?? textOrNull(error.code),
  };
}
