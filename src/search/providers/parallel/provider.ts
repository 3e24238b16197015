import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import type { Downgrade, ProviderAnswer } from "../../answer.ts";
import type { SearchProvider } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { joinedTexts, requiredListOf, resultsOf, textOf, textOrNull } from "../read-answer.ts";
import { classifyParallelError, readUsage, textsOf } from "./answers.ts";
import { parallelFetcher } from "./fetch.ts";
import { toParallelRequest } from "./request.ts";

/** Parallel, https://docs.parallel.ai: search with excerpts chosen for the query, which are also the content of results. */
export const parallel: SearchProvider = {
  name: "parallel",
  title: "Parallel",
  defaultBaseUrl: "https://api.parallel.ai",
  signing: { in: "header", header: (credential) => ["x-api-key", credential] },
  capabilities: {
    news: false,
    answer: false,
    rawContent: true,
    depth: true,
    timeRange: true,
    country: true,
    language: false,
    includeDomains: { by: "parameter", maxDomains: 200 },
    excludeDomains: { by: "parameter", maxDomains: 200 },
    // Both may be sent, but then the excluded ones are ignored.
    mixesDomainLists: false,
    maxResults: 20,
    resultsPerUnit: 10,
    maxQueryLength: 5_000,
    score: false,
    units: { basic: 1, advanced: 1 },
    maxUnits: 3,
    listPriceUsd: 0.005,
    fetch: true,
    cacheable: true,
  },
  fetch: parallelFetcher,
  reservedOptions: [
    "search_queries",
    "objective",
    // It changes the price.
    "mode",
    // It holds the number of results, the country and the domains.
    "advanced_settings",
    // Names of the beta, with the same meaning.
    "max_results",
    "source_policy",
    "processor",
  ],
  toRequest: toParallelRequest,
  readAnswer,
  classifyError: classifyParallelError,
};

function readAnswer(body: JsonObject, query: ProviderQuery): ProviderAnswer {
  const results = resultsOf(requiredListOf(body, "results"), (item) => ({
    title: textOf(item.title),
    url: textOf(item.url),
    snippet: joinedTexts(item.excerpts),
    content: textOrNull(textsOf(item.excerpts).join("\n\n")),
    published: textOrNull(item.publish_date),
    score: null,
  }));
  const usage = readUsage(body.usage);
  return {
    results,
    answer: null,
    requestId: textOrNull(body.search_id),
    units: unitsOf(usage),
    costUsd: null,
    usage: Object.fromEntries(usage),
    downgrades: downgradesOf(body.warnings, query),
  };
}

/** A unit is a search. Results beyond the first ten are counted by themselves, and cost a fifth of a search each. */
function unitsOf(usage: ReadonlyMap<string, number>): number | null {
  if (usage.size === 0) return null;
  let units = 0;
  for (const [name, count] of usage) units += name.includes("result") ? count / 5 : count;
  return Number.isFinite(units) ? Math.ceil(units) : null;
}

/** A country that Parallel does not know is no error: it is ignored, with a warning. */
function downgradesOf(warnings: unknown, { country }: ProviderQuery): Downgrade[] {
  const isIgnored = listOrEmpty(warnings).some(
    (each) => isObject(each) && /\b(location|country)\b/i.test(textOf(each.message)),
  );
  return isIgnored && country !== null ? [{ field: "region", reason: "unknown_value" }] : [];
}
