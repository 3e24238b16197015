import { AnswerFault } from "../../../dialects/exchange.ts";
import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import type { ProviderAnswer } from "../../answer.ts";
import type { ProviderRefusal, RefusalClass, SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";
import { maxQueryLength, toBraveRequest } from "./request.ts";

/** Brave Search, https://api-dashboard.search.brave.com: an index of its own, of the web and of news. */
export const brave: SearchProvider = {
  name: "brave",
  title: "Brave Search",
  defaultBaseUrl: "https://api.search.brave.com/res/v1",
  signing: { in: "header", header: (credential) => ["x-subscription-token", credential] },
  capabilities: {
    news: true,
    answer: false,
    rawContent: false,
    depth: false,
    timeRange: true,
    country: true,
    language: true,
    includeDomains: { by: "query", maxDomains: 10 },
    excludeDomains: { by: "query", maxDomains: 10 },
    mixesDomainLists: true,
    maxResults: 20,
    resultsPerUnit: 20,
    maxQueryLength,
    score: false,
    units: { basic: 1, advanced: 1 },
    maxUnits: 1,
    listPriceUsd: 0.005,
    fetch: false,
    cacheable: false,
  },
  reservedOptions: [
    "q",
    "count",
    "text_decorations",
    "result_filter",
    // It turns `site:` off.
    "operators",
    // They are lists of domains to prefer and to leave out.
    "goggles",
    "goggles_id",
    "summary",
  ],
  toRequest: toBraveRequest,
  readAnswer,
  classifyError,
};

function readAnswer(body: JsonObject, { type }: ProviderQuery): ProviderAnswer {
  return {
    results: resultsOf(type === "news" ? listOfNews(body) : listOfWeb(body), (item) => ({
      title: textOf(item.title),
      url: textOf(item.url),
      snippet: textOf(item.description),
      content: null,
      published: textOrNull(item.page_age) ?? textOrNull(item.age),
      score: null,
    })),
    answer: null,
    requestId: null,
    units: null,
    costUsd: null,
    usage: {},
    downgrades: [],
  };
}

/** An answer without results has no list of them, but says that it is one. */
function listOfWeb({ type, web }: JsonObject): unknown {
  if (isObject(web)) return web.results;
  if (type === "search") return [];
  throw new AnswerFault("The provider's answer is no search.");
}

function listOfNews({ type, results }: JsonObject): unknown {
  if (Array.isArray(results) || type === "news") return results;
  throw new AnswerFault("The provider's answer has no list 'results'.");
}

const classes: ReadonlyMap<string | null, RefusalClass> = new Map([
  ["SUBSCRIPTION_TOKEN_INVALID", "credential"],
  ["SUBSCRIPTION_NOT_FOUND", "credential"],
  ["RATE_LIMITED", "rate_limit"],
  ["QUOTA_LIMITED", "quota"],
]);

/**
 * `{"error": {"code", "detail"}}`, or a list `errors` of them. A wrong key is 422, as a wrong parameter is; 429 is the limit
 * of the second or that of the month.
 */
function classifyError(status: number, body: unknown): ProviderRefusal {
  const answer = isObject(body) ? body : {};
  const [first] = listOrEmpty(answer.errors);
  const error = isObject(answer.error) ? answer.error : isObject(first) ? first : {};
  const code = textOrNull(error.code);
  const known = classes.get(code) ?? (lacksKey(error) ? "credential" : refusalOfStatus(status));
  return {
    class: known,
    message: textOrNull(error.detail) ?? textOrNull(error.message),
    code,
    ...(code === "RATE_LIMITED" && { retryAfterSeconds: 1 }),
  };
}

/** Whether it is the header with the key that is missing: `{"meta": {"errors": [{"loc": ["header", "x-subscription-token"]}]}}`. */
function lacksKey({ meta }: JsonObject): boolean {
  const errors = isObject(meta) ? listOrEmpty(meta.errors) : [];
  return errors.some(
    (error) =>
      isObject(error) &&
      listOrEmpty(error.loc).some((part) => typeof part === "string" && /^x-subscription-token$/i.test(part)),
  );
}
