import { AnswerFault } from "../../../dialects/exchange.ts";
import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import type { Downgrade, ProviderAnswer, ProviderResult } from "../../answer.ts";
import type { ProviderRefusal, SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";
import { toYoucomRequest } from "./request.ts";

/**
 * You.com, https://you.com/docs: search of the web, with a section of news if the query is about them. News are thus what it
 * returns of them, and may be missing.
 */
export const youcom: SearchProvider = {
  name: "youcom",
  title: "You.com",
  defaultBaseUrl: "https://ydc-index.io",
  signing: { in: "header", header: (credential) => ["x-api-key", credential] },
  capabilities: {
    news: true,
    answer: false,
    rawContent: true,
    depth: false,
    timeRange: true,
    country: true,
    language: true,
    includeDomains: { by: "parameter", maxDomains: 500 },
    excludeDomains: { by: "parameter", maxDomains: 500 },
    // Both at once are refused.
    mixesDomainLists: false,
    maxResults: 100,
    resultsPerUnit: 100,
    maxQueryLength: null,
    score: false,
    units: { basic: 1, advanced: 1 },
    maxUnits: 1,
    listPriceUsd: 0.005,
    fetch: false,
    cacheable: true,
  },
  reservedOptions: [
    "query",
    "count",
    "livecrawl",
    "livecrawl_formats",
    // The newer name of the two above.
    "extraction",
    "include_domains",
    "exclude_domains",
    // It may not stand beside included domains.
    "boost_domains",
  ],
  toRequest: toYoucomRequest,
  readAnswer,
  classifyError,
};

function readAnswer(body: JsonObject, { type }: ProviderQuery): ProviderAnswer {
  const { results: sections, metadata } = body;
  if (!isObject(sections)) throw new AnswerFault("The provider's answer has no object 'results'.");
  const section = sections[type];
  const missingNews: readonly Downgrade[] =
    type === "news" && !Array.isArray(section) ? [{ field: "type", reason: "not_returned" }] : [];
  return {
    results: resultsOf(section, readResult),
    answer: null,
    requestId: isObject(metadata) ? textOrNull(metadata.search_uuid) : null,
    units: null,
    costUsd: null,
    usage: {},
    downgrades: missingNews,
  };
}

function readResult(item: JsonObject): ProviderResult {
  const [snippet] = listOrEmpty(item.snippets);
  return {
    title: textOf(item.title),
    url: textOf(item.url),
    snippet: textOf(snippet) || textOf(item.description),
    content: isObject(item.contents) ? textOrNull(item.contents.markdown) : null,
    published: textOrNull(item.page_age),
    score: null,
  };
}

/** `{"detail"}`; validation: `{"detail": [{"loc", "msg"}]}`. */
function classifyError(status: number, body: unknown): ProviderRefusal {
  return { class: refusalOfStatus(status), message: isObject(body) ? messageOf(body.detail) : null, code: null };
}

function messageOf(detail: unknown): string | null {
  const [first] = listOrEmpty(detail);
  if (!isObject(first)) return textOrNull(detail);
  const message = textOrNull(first.msg);
  const name = textOrNull(listOrEmpty(first.loc).at(-1));
  return message !== null && name !== null ? `${name}: ${message}` : message;
}
