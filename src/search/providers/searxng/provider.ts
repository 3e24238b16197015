import { AnswerFault } from "../../../dialects/exchange.ts";
import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import type { ProviderAnswer, ProviderResult } from "../../answer.ts";
import type { ProviderRefusal, SearchProvider } from "../../provider.ts";
import { amountOrNull, requiredListOf, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";
import { toSearxngRequest } from "./request.ts";

/** SearXNG, https://docs.searxng.org: an operator's own server over many engines. It needs no key. */
export const searxng: SearchProvider = {
  name: "searxng",
  title: "SearXNG",
  defaultBaseUrl: null,
  // SearXNG itself has no keys, but a proxy in front of it may: `user:password`, or a token.
  signing: {
    in: "header",
    header: (credential) => [
      "authorization",
      credential.includes(":") ? `Basic ${Buffer.from(credential).toString("base64")}` : `Bearer ${credential}`,
    ],
  },
  capabilities: {
    news: true,
    answer: false,
    rawContent: false,
    depth: false,
    timeRange: true,
    country: true,
    language: true,
    // It depends on the engines whether they understand it, and how many.
    includeDomains: { by: "query", maxDomains: 5 },
    excludeDomains: { by: "query", maxDomains: 5 },
    mixesDomainLists: true,
    // One page of its engines: there is no parameter for how many.
    maxResults: 20,
    resultsPerUnit: 20,
    maxQueryLength: null,
    score: true,
    units: { basic: 1, advanced: 1 },
    maxUnits: 1,
    listPriceUsd: 0,
    fetch: false,
    cacheable: true,
  },
  reservedOptions: [
    "q",
    "format",
    "categories",
    // Callers choose neither engines nor settings of the server, nor how long it may take.
    "engines",
    "enabled_engines",
    "disabled_engines",
    "enabled_plugins",
    "disabled_plugins",
    "preferences",
    "timeout_limit",
  ],
  toRequest: toSearxngRequest,
  readAnswer,
  classifyError,
};

function readAnswer(body: JsonObject): ProviderAnswer {
  const results = resultsOf(requiredListOf(body, "results"), (item) => ({
    title: textOf(item.title),
    url: textOf(item.url),
    snippet: textOf(item.content),
    content: null,
    published: textOrNull(item.publishedDate),
    score: amountOrNull(item.score),
  }));
  if (results.length === 0) throwIfFailed(body);
  return {
    results: withinOne(results),
    answer: null,
    requestId: null,
    units: null,
    costUsd: null,
    usage: {},
    downgrades: [],
  };
}

/** If its engines fail, SearXNG answers 200 without results, and names them: `[["google", "timeout"]]`. */
function throwIfFailed(body: JsonObject): void {
  const engines = listOrEmpty(body.unresponsive_engines).map((each) => (Array.isArray(each) ? each : [each]));
  if (engines.length === 0) return;
  const named = engines.slice(0, 5).map(([name, reason]) => `${textOf(name)} (${textOf(reason)})`.slice(0, 100));
  throw new AnswerFault(`The engines of SearXNG did not answer: ${named.join(", ")}.`);
}

/** Scores grow with the number of engines that agree: they are made parts of the greatest. */
function withinOne(results: readonly ProviderResult[]): readonly ProviderResult[] {
  const greatest = Math.max(...results.map(({ score }) => score ?? 0));
  return greatest > 0
    ? results.map((result) => ({ ...result, score: result.score === null ? null : result.score / greatest }))
    : results.map((result) => ({ ...result, score: null }));
}

function classifyError(status: number, body: unknown): ProviderRefusal {
  const message = isObject(body) ? (textOrNull(body.error) ?? textOrNull(body.message)) : null;
  // A page of HTML, since the server's settings do not allow JSON: the most frequent fault of new installations.
  const isForbidden = status === 403 && message === null;
  const hint =
    "SearXNG refused the search: add 'json' to 'search.formats' in its settings, or exempt the gateway from its bot detection.";
  return { class: refusalOfStatus(status), message: isForbidden ? hint : message, code: null };
}
