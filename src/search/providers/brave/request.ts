import type { Downgrade } from "../../answer.ts";
import type { ProviderCall } from "../../provider.ts";
import type { ProviderQuery, TimeRange } from "../../query.ts";
import { withParameters, withSiteOperators } from "../write-request.ts";
import { braveCountry, braveLanguage } from "./places.ts";

export const maxQueryLength = 400;
const maxWords = 50;

const freshnessOf: Readonly<Record<TimeRange, string>> = { day: "pd", week: "pw", month: "pm", year: "py" };

export function toBraveRequest(query: ProviderQuery): ProviderCall {
  const { country, language, timeRange } = query;
  const isNews = query.type === "news";
  const downgrades: Downgrade[] = [];
  const words = query.query.split(/\s+/);
  if (words.length > maxWords) downgrades.push({ field: "query", reason: "truncated" });
  const text = words.slice(0, maxWords).join(" ");
  const place = country === null ? null : braveCountry(country);
  // Without a country Brave searches as from the United States.
  if (country !== null && place === null) downgrades.push({ field: "region", reason: "unknown_value" });
  const lang = language === null ? null : braveLanguage(language);
  if (language !== null && lang === null) downgrades.push({ field: "language", reason: "unknown_value" });
  return {
    method: "GET",
    path: withParameters(isNews ? "/news/search" : "/web/search", {
      ...query.options,
      q: withSites(text, query),
      count: query.count,
      ...(!isNews && { text_decorations: false, result_filter: "web" }),
      ...(country !== null && { country: place ?? "ALL" }),
      ...(lang !== null && { search_lang: lang }),
      ...(timeRange !== null && { freshness: freshnessOf[timeRange] }),
    }),
    headers: {},
    body: null,
    downgrades,
  };
}

/** The query with the domains, if there is room for both: the gateway filters in any case. */
function withSites(text: string, { includeDomains, excludeDomains }: ProviderQuery): string {
  const whole = withSiteOperators(text, includeDomains, excludeDomains);
  return whole.length <= maxQueryLength && whole.split(" ").length <= maxWords ? whole : text;
}
