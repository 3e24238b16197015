import type { Downgrade } from "../../answer.ts";
import type { ProviderCall } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { googleLanguage } from "../google-language.ts";
import { maxGoogleQuery, withParameters, withSiteOperators } from "../write-request.ts";

/** Google's words for ranges of time. */
const timeFilters = { day: "qdr:d", week: "qdr:w", month: "qdr:m", year: "qdr:y" } as const;

export function toSerpapiRequest(query: ProviderQuery): ProviderCall {
  const { country, language, timeRange } = query;
  const hl = language === null ? null : googleLanguage(language);
  const downgrades: readonly Downgrade[] =
    language !== null && hl === null ? [{ field: "language", reason: "unknown_value" }] : [];
  return {
    method: "GET",
    path: withParameters("/search.json", {
      ...query.options,
      engine: "google",
      q: withSiteOperators(query.query, query.includeDomains, query.excludeDomains, maxGoogleQuery),
      // News of the same engine: the engine of Google News has no ranges of time and no snippets.
      ...(query.type === "news" && { tbm: "nws" }),
      ...(country !== null && { gl: country.toLowerCase() }),
      ...(hl !== null && { hl }),
      ...(timeRange !== null && { tbs: timeFilters[timeRange] }),
    }),
    headers: {},
    body: null,
    downgrades,
  };
}
