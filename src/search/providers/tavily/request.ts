import type { Downgrade } from "../../answer.ts";
import { countryName } from "../../places.ts";
import type { ProviderCall } from "../../provider.ts";
import type { ProviderQuery } from "../../query.ts";
import { hasOption } from "../write-request.ts";

/** Options that Tavily refuses beside a range of time. */
const dates = ["start_date", "end_date"];

export function toTavilyRequest(query: ProviderQuery): ProviderCall {
  const { type, country, language, timeRange, includeDomains, excludeDomains } = query;
  const isNews = type === "news";
  const downgrades: Downgrade[] = [];
  const place = country === null ? null : tavilyCountry(country);
  // Tavily takes a country for general searches alone.
  if (country !== null && isNews) downgrades.push({ field: "region", reason: "unsupported_combination" });
  else if (country !== null && place === null) downgrades.push({ field: "region", reason: "unknown_value" });
  const hasDates = hasOption(query.options, dates);
  if (timeRange !== null && hasDates) downgrades.push({ field: "time_range", reason: "unsupported_combination" });
  return {
    method: "POST",
    path: "/search",
    headers: {},
    body: {
      ...query.options,
      query: query.query,
      topic: isNews ? "news" : "general",
      search_depth: query.depth,
      max_results: query.count,
      include_usage: true,
      ...(timeRange !== null && !hasDates && { time_range: timeRange }),
      ...(place !== null && !isNews && { country: place }),
      ...(language !== null && { language: language.language }),
      ...(query.includeAnswer && { include_answer: true }),
      ...(query.includeRawContent && { include_raw_content: true }),
      ...(includeDomains.length > 0 && { include_domains: includeDomains }),
      ...(excludeDomains.length > 0 && { exclude_domains: excludeDomains }),
    },
    downgrades,
  };
}

/** Countries that Tavily calls otherwise than Unicode does. */
const tavilyNames: Readonly<Record<string, string>> = {
  CZ: "czech republic",
  MM: "myanmar",
  TR: "turkey",
};

/** Tavily's name of a country; null if it is none of plain letters, which Tavily does not take. */
function tavilyCountry(code: string): string | null {
  const name = tavilyNames[code] ?? countryName(code).toLowerCase();
  return /^[a-z]+( [a-z]+)*$/.test(name) ? name : null;
}
