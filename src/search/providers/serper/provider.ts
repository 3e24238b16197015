import { AnswerFault } from "../../../dialects/exchange.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { ProviderAnswer } from "../../answer.ts";
import type { ProviderRefusal, SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { amountOrNull, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";
import { toSerperRequest } from "./request.ts";
import { maxGoogleQuery } from "../write-request.ts";

/** Serper, https://serper.dev: Google's results, of the web and of news. */
export const serper: SearchProvider = {
  name: "serper",
  title: "Serper",
  defaultBaseUrl: "https://google.serper.dev",
  signing: { in: "header", header: (credential) => ["x-api-key", credential] },
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
    maxResults: 100,
    resultsPerUnit: 10,
    maxQueryLength: maxGoogleQuery,
    score: false,
    units: { basic: 1, advanced: 1 },
    maxUnits: 2,
    listPriceUsd: 0.001,
    fetch: false,
    cacheable: true,
  },
  // `type` is that of the path, and `engine` another vendor's index.
  reservedOptions: ["q", "num", "type", "engine"],
  toRequest: toSerperRequest,
  readAnswer,
  classifyError,
};

function readAnswer(body: JsonObject, { type }: ProviderQuery): ProviderAnswer {
  const list = body[type === "news" ? "news" : "organic"];
  // Google may have a fact and no pages: an answer repeats its parameters even then, and an error does not.
  if (!Array.isArray(list) && !isObject(body.searchParameters)) {
    throw new AnswerFault("The provider's answer has neither results nor the parameters of the search.");
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
    requestId: null,
    units: amountOrNull(body.credits),
    costUsd: null,
    usage: typeof body.credits === "number" ? { credits: body.credits } : {},
    downgrades: [],
  };
}

function classifyError(status: number, body: unknown): ProviderRefusal {
  const message = isObject(body) ? textOrNull(body.message) : null;
  // An account without credits answers 400, as a bad request does.
  const isQuota = status === 400 && message !== null && /not enough credits/i.test(message);
  return { class: isQuota ? "quota" : refusalOfStatus(status), message, code: null };
}
