import type { Downgrade } from "../../answer.ts";
import type { ProviderCall } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";

/** Google's words for ranges of time. */
const timeFilters = { day: "qdr:d", week: "qdr:w", month: "qdr:m", year: "qdr:y" } as const;

export function toFirecrawlRequest(query: ProviderQuery): ProviderCall {
  const { timeRange, country, includeDomains, excludeDomains } = query;
  const isNews = query.type === "news";
  // The filter is taken for news too, but has no effect there.
  const downgrades: readonly Downgrade[] =
    isNews && timeRange !== null ? [{ field: "time_range", reason: "unsupported_combination" }] : [];
  return {
    method: "POST",
    path: "/v2/search",
    headers: {},
    body: {
      ...query.options,
      query: query.query,
      limit: query.count,
      sources: [isNews ? "news" : "web"],
      ...(country !== null && { country }),
      ...(timeRange !== null && !isNews && { tbs: timeFilters[timeRange] }),
      ...(includeDomains.length > 0 && { includeDomains }),
      ...(excludeDomains.length > 0 && { excludeDomains }),
      // Other proxies cost four credits more a page.
      ...(query.includeRawContent && {
        scrapeOptions: { formats: ["markdown"], onlyMainContent: true, proxy: "basic" },
      }),
    },
    downgrades,
  };
}
