import type { Downgrade } from "./answer.ts";
import type { DomainFilter, SearchCapabilities } from "./capabilities.ts";
import { areRestrictive } from "./domains/domain-rules.ts";
import { readCountry, readLanguage } from "./places.ts";
import type { SearchProvider } from "./provider.ts";
import type { ProviderQuery } from "./query.ts";
import type { SearchRequest } from "./request.ts";

/** A request as far as one provider can take it. */
export interface FittedQuery {
  readonly query: ProviderQuery;
  /** What was asked for and is left out. */
  readonly downgrades: readonly Downgrade[];
  /** The caller's fields that the gateway sees to by itself. */
  readonly emulated: readonly string[];
  /** Results beyond so many are clipped. */
  readonly maxResults: number;
}

/** Results are filtered afterwards, so more are asked for: so many times as many. */
const overFetch = 2.5;

/** @param policyMax the maximum of results that the backend's settings allow */
export function fitQuery(
  request: SearchRequest,
  { name, capabilities }: Pick<SearchProvider, "name" | "capabilities">,
  policyMax: number,
): FittedQuery {
  const downgrades: Downgrade[] = [];
  const keep = <Value>(field: string, asked: Value | null, isAble: boolean): Value | null => {
    if (asked === null || isAble) return asked;
    downgrades.push({ field, reason: "unsupported" });
    return null;
  };
  const known = <Value>(field: string, text: string | null, read: (text: string) => Value | null): Value | null => {
    const value = text === null ? null : read(text);
    if (text !== null && value === null) downgrades.push({ field, reason: "unknown_value" });
    return value;
  };
  const region = keep("region", request.region, capabilities.country);
  const language = keep("language", request.language, capabilities.language);
  const domains = fitDomains(request, capabilities);
  const maxResults = Math.min(request.maxResults, policyMax, capabilities.maxResults);
  const query: ProviderQuery = {
    query: fitText(request.query, capabilities.maxQueryLength, downgrades),
    type: request.type,
    count: domains.isFiltered ? moreThan(maxResults, capabilities) : maxResults,
    country: known("region", region, readCountry),
    language: known("language", language, readLanguage),
    timeRange: keep("time_range", request.timeRange, capabilities.timeRange),
    depth: keep("search_depth", request.depth === "advanced" ? "advanced" : null, capabilities.depth) ?? "basic",
    includeAnswer: keep("include_answer", request.includeAnswer || null, capabilities.answer) ?? false,
    includeRawContent: keep("include_raw_content", request.includeRawContent || null, capabilities.rawContent) ?? false,
    includeDomains: domains.include,
    excludeDomains: domains.exclude,
    options: request.providerOptions[name] ?? {},
    now: request.now,
  };
  const clips = request.maxResults > maxResults ? ["max_results"] : [];
  return { query, downgrades, emulated: [...domains.emulated, ...clips], maxResults };
}

/** The lists to send, and those that the gateway filters by alone. It filters by all of them in any case. */
function fitDomains({ rules }: SearchRequest, capabilities: SearchCapabilities) {
  const include = [...(rules.include ?? [])];
  const sent = within(include, capabilities.includeDomains);
  const mayMix = capabilities.mixesDomainLists || sent.length === 0;
  const excluded = mayMix ? within([...rules.exclude], capabilities.excludeDomains) : [];
  const emulated: string[] = [];
  if (sent.length < include.length) emulated.push("include_domains");
  if (excluded.length < rules.exclude.size) emulated.push("exclude_domains");
  return { include: sent, exclude: excluded, emulated, isFiltered: areRestrictive(rules) && emulated.length > 0 };
}

/** The whole list if the provider takes it; else nothing, since a part of an allowlist would leave results out. */
function within(domains: readonly string[], filter: DomainFilter | null): readonly string[] {
  return filter !== null && domains.length <= filter.maxDomains ? domains : [];
}

/** More results, as long as they cost no more. */
function moreThan(count: number, { maxResults, resultsPerUnit }: SearchCapabilities): number {
  return Math.max(count, Math.min(maxResults, resultsPerUnit, Math.ceil(count * overFetch)));
}

/** The query on one line, cut at a word if it is too long for the provider. */
function fitText(query: string, max: number | null, downgrades: Downgrade[]): string {
  const line = query
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toWellFormed();
  if (max === null || line.length <= max) return line;
  downgrades.push({ field: "query", reason: "truncated" });
  const cut = line.slice(0, max + 1);
  const end = cut.lastIndexOf(" ");
  return (end > max / 2 ? cut.slice(0, end) : line.slice(0, max)).trim().toWellFormed();
}
