import type { ProviderCall } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { firstDayOf } from "../write-request.ts";

/** Characters of a search query. A longer one is put as an objective, of which its beginning is the query. */
const maxSearchQuery = 200;

export function toParallelRequest(query: ProviderQuery): ProviderCall {
  const { timeRange, country, includeDomains, excludeDomains } = query;
  const sourcePolicy = {
    ...(includeDomains.length > 0 && { include_domains: includeDomains }),
    ...(excludeDomains.length > 0 && { exclude_domains: excludeDomains }),
    ...(timeRange !== null && { after_date: firstDayOf(timeRange, query.now) }),
  };
  return {
    method: "POST",
    path: "/v1/search",
    headers: {},
    body: {
      ...query.options,
      search_queries: [beginningOf(query.query)],
      ...(query.query.length > maxSearchQuery && { objective: query.query }),
      // Without a mode it is the advanced one.
      mode: query.depth,
      advanced_settings: {
        max_results: query.count,
        ...(country !== null && { location: country.toLowerCase() }),
        ...(Object.keys(sourcePolicy).length > 0 && { source_policy: sourcePolicy }),
      },
    },
    downgrades: [],
  };
}

/** As many whole words as a search query may have. */
function beginningOf(query: string): string {
  if (query.length <= maxSearchQuery) return query;
  const words = /^[\s\S]{1,200}(?=\s)/.exec(query)?.[0].trim() ?? "";
  return words === "" ? query.trim().slice(0, maxSearchQuery).toWellFormed() : words;
}
