import type { ProviderResult, SearchResult } from "../answer.ts";
import { allowsHost, type DomainRules } from "../domains/domain-rules.ts";
import { canonicalUrl, readAddress } from "../domains/host.ts";
import { readDate } from "./dates.ts";
import { plainContent, plainText } from "./plain-text.ts";

/** Characters of a title, a snippet and a page; what is longer is cut. */
export const maxTitle = 500;
const maxSnippet = 2_000;
export const maxContent = 1_000_000;

export interface NormalizeOptions {
  readonly rules: DomainRules;
  /** Results beyond so many are left out. */
  readonly maxResults: number;
  readonly includeContent: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Results as callers see them, in the provider's order: without those that have no plain address, are outside the domain
 * rules, or are the same page as an earlier one, which they complete.
 */
export function normalizeResults(results: readonly ProviderResult[], options: NormalizeOptions): SearchResult[] {
  const byPage = new Map<string, SearchResult>();
  for (const [rank, result] of results.entries()) {
    const address = readAddress(result.url);
    if (address === null || !allowsHost(options.rules, address.host)) continue;
    const page = canonicalUrl(address);
    const known = byPage.get(page);
    if (known === undefined && byPage.size >= options.maxResults) continue;
    const normalized: SearchResult = {
      title: shortText(result.title, maxTitle),
      url: address.url,
      snippet: shortText(result.snippet, maxSnippet),
      content: options.includeContent && result.content ? clipped(plainContent(result.content), maxContent) : null,
      published_at: readDate(result.published, options.now),
      score: scoreOf(result.score, rank),
      source: address.host,
    };
    byPage.set(page, known === undefined ? normalized : merged(known, normalized));
  }
  return [...byPage.values()];
}

/** The provider's own score, or one from the rank: 1, 1/2, 1/3 ... Six digits. */
function scoreOf(score: number | null, rank: number): number {
  const figure = score !== null && Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : 1 / (rank + 1);
  return Math.round(figure * 1e6) / 1e6;
}

function merged(one: SearchResult, other: SearchResult): SearchResult {
  return {
    ...one,
    title: one.title || other.title,
    snippet: one.snippet || other.snippet,
    content: one.content ?? other.content,
    published_at: one.published_at ?? other.published_at,
    score: Math.max(one.score, other.score),
  };
}

/** Text without markup, at most so many characters. Markup may take a multiple of what it marks. */
export function shortText(text: string, max: number): string {
  return clipped(plainText(text.slice(0, 10 * max)), max);
}

/** At most so many characters, and no half of one. */
export function clipped(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).trimEnd()}…`.toWellFormed();
}
