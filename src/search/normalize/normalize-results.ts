import { nextTurn } from "../../next-turn.ts";
import type { ProviderResult, SearchResult } from "../answer.ts";
import { allowsHost, type DomainRules } from "../domains/domain-rules.ts";
import { canonicalUrl, readAddress } from "../domains/host.ts";
import { readDate } from "./dates.ts";
import { clipped, plainContent, plainText } from "./plain-text.ts";

/** Characters of a title and a snippet; what is longer is cut. */
export const maxTitle = 500;
const maxSnippet = 2_000;
/** Characters of a page, with its markup: so many take about 10 ms to make plain, whatever they are. */
const maxContent = 300_000;

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
  const pages: Pages = new Map();
  for (const [rank, result] of results.entries()) addResult(pages, result, rank, options);
  return [...pages.values()];
}

/** The same for a large answer: each result has a turn of the event loop of its own. */
export async function normalizeInSteps(
  results: readonly ProviderResult[],
  options: NormalizeOptions,
): Promise<SearchResult[]> {
  const pages: Pages = new Map();
  for (const [rank, result] of results.entries()) {
    addResult(pages, result, rank, options);
    await nextTurn();
  }
  return [...pages.values()];
}

/** Results by their canonical address. */
type Pages = Map<string, SearchResult>;

function addResult(pages: Pages, result: ProviderResult, rank: number, options: NormalizeOptions): void {
  const address = readAddress(result.url);
  if (address === null || !allowsHost(options.rules, address.host)) return;
  const page = canonicalUrl(address);
  const known = pages.get(page);
  if (known === undefined && pages.size >= options.maxResults) return;
  pages.set(page, {
    title: known?.title || shortText(result.title, maxTitle),
    url: known?.url ?? address.url,
    snippet: known?.snippet || shortText(result.snippet, maxSnippet),
    content: known?.content ?? (options.includeContent && result.content ? pageText(result.content) : null),
    published_at: known?.published_at ?? readDate(result.published, options.now),
    score: Math.max(known?.score ?? 0, scoreOf(result.score, rank)),
    source: known?.source ?? address.host,
  });
}

/** The provider's own score, or one from the rank: 1, 1/2, 1/3 ... Six digits. */
function scoreOf(score: number | null, rank: number): number {
  const figure = score !== null && Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : 1 / (rank + 1);
  return Math.round(figure * 1e6) / 1e6;
}

/** Text without markup, at most so many characters. Markup may take a multiple of what it marks. */
export function shortText(text: string, max: number): string {
  return clipped(plainText(text.slice(0, 10 * max)), max);
}

/** The text of a page. One that is cut ends with `…`. */
function pageText(text: string): string {
  const plain = plainContent(text.slice(0, maxContent));
  return text.length > maxContent ? `${plain}…` : plain;
}
