import type { Downgrade } from "../../answer.ts";
import { isTraditionalChinese } from "../../places.ts";
import type { ProviderCall } from "../../provider.ts";
import type { Language, ProviderQuery } from "../../query.ts";
import { withParameters, withSiteOperators } from "../write-request.ts";

export function toSearxngRequest(query: ProviderQuery): ProviderCall {
  const { country, language, timeRange, includeDomains, excludeDomains } = query;
  const downgrades: Downgrade[] = [];
  // A country is the second half of a language tag.
  if (country !== null && language === null) {
    downgrades.push({ field: "region", reason: "unsupported_combination" });
  }
  return {
    method: "GET",
    path: withParameters("/search", {
      ...query.options,
      q: withSiteOperators(withoutCommands(query.query), includeDomains, excludeDomains),
      format: "json",
      categories: query.type === "news" ? "news" : "general",
      ...(language !== null && { language: tagOf(language, country) }),
      ...(timeRange !== null && { time_range: timeRange }),
    }),
    headers: {},
    body: null,
    downgrades,
  };
}

/** What SearXNG takes: `de` or `de-DE`. The region of the tag is the country that is searched; scripts are told by it too. */
function tagOf(asked: Language, country: string | null): string {
  const { language, region, script } = asked;
  // A region such as `419` is no country.
  const ownRegion = region !== null && /^[A-Z]{2}$/.test(region) ? region : null;
  const byScript = script === null ? null : isTraditionalChinese(asked) ? "TW" : language === "zh" ? "CN" : null;
  const place = country ?? ownRegion ?? byScript;
  return place === null ? language : `${language}-${place}`;
}

/**
 * The query without what SearXNG takes for commands at the beginning of a word: `!engine`, `!!g` (a redirect to another
 * site), `:de`, `<3` (a time limit). Callers do not choose engines.
 */
function withoutCommands(query: string): string {
  const plain = query.replace(/(?<!\S)(?:[!?:]|<(?=\d))+/g, "").trim();
  return plain === "" ? `"${query}"` : plain;
}
