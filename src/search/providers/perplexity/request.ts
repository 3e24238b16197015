import type { Downgrade } from "../../answer.ts";
import type { ProviderCall } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { hasOption } from "../write-request.ts";

/** Options that Perplexity refuses beside a range of time. */
const dates = [
  "search_after_date_filter",
  "search_before_date_filter",
  "last_updated_after_filter",
  "last_updated_before_filter",
];

export function toPerplexityRequest(query: ProviderQuery): ProviderCall {
  const { country, language, timeRange, options } = query;
  const downgrades: Downgrade[] = [];
  // It takes languages of two letters alone.
  const code = language?.language.length === 2 ? language.language : null;
  if (language !== null && code === null) downgrades.push({ field: "language", reason: "unknown_value" });
  const hasDates = hasOption(options, dates);
  if (timeRange !== null && hasDates) downgrades.push({ field: "time_range", reason: "unsupported_combination" });
  const domains = domainFilter(query);
  return {
    method: "POST",
    path: "/search",
    headers: {},
    body: {
      ...options,
      query: query.query,
      max_results: query.count,
      ...(country !== null && { country }),
      ...(code !== null && { search_language_filter: [code] }),
      ...(timeRange !== null && !hasDates && { search_recency_filter: timeRange }),
      ...(domains.length > 0 && { search_domain_filter: domains }),
    },
    downgrades,
  };
}

/** One list: domains to search, or else domains to leave out, with a minus. Both at once are refused. */
function domainFilter({ includeDomains, excludeDomains }: ProviderQuery): readonly string[] {
  return includeDomains.length > 0 ? includeDomains : excludeDomains.map((domain) => `-${domain}`);
}
