import type { Downgrade } from "../../answer.ts";
import type { ProviderCall } from "../../provider.ts";
import type { ProviderQuery, TimeRange } from "../../query.ts";
import { googleLanguage } from "../google-language.ts";
import { maxGoogleQuery, withSiteOperators } from "../write-request.ts";

/** The page sizes of Google. What is between them is rounded up: up to 10 results cost one credit, up to 100 two. */
const pageSizes = [10, 20, 30, 40, 50, 100];

const tbsOf: Readonly<Record<TimeRange, string>> = { day: "qdr:d", week: "qdr:w", month: "qdr:m", year: "qdr:y" };

export function toSerperRequest(query: ProviderQuery): ProviderCall {
  const { country, language, timeRange } = query;
  const downgrades: Downgrade[] = [];
  const hl = language === null ? null : googleLanguage(language);
  if (language !== null && hl === null) downgrades.push({ field: "language", reason: "unknown_value" });
  return {
    method: "POST",
    path: query.type === "news" ? "/news" : "/search",
    headers: {},
    body: {
      ...query.options,
      q: withSiteOperators(query.query, query.includeDomains, query.excludeDomains, maxGoogleQuery),
      num: pageSizes.find((size) => size >= query.count) ?? 100,
      ...(country !== null && { gl: country.toLowerCase() }),
      ...(hl !== null && { hl }),
      ...(timeRange !== null && { tbs: tbsOf[timeRange] }),
    },
    downgrades,
  };
}
