import type { Page } from "./page.ts";
import { pages } from "./pages.ts";

export interface CorpusQuery {
  readonly query: string;
  readonly isNews: boolean;
  /** Maximum number of pages. */
  readonly count: number;
  /** Pages that are older are left out; null: none. */
  readonly maxAgeDays: number | null;
  /** Hosts and what is below them; empty: all. */
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
}

/** The pages that have a word of the query, those that have most of them first. */
export function findPages(query: CorpusQuery): Page[] {
  const words = wordsOf(query.query);
  return pages
    .map((page) => ({ page, hits: hitsIn(page, words) }))
    .filter(({ page, hits }) => hits > 0 && isWanted(page, query))
    .sort((a, b) => b.hits - a.hits)
    .slice(0, query.count)
    .map(({ page }) => page);
}

/** From 0 to 1. */
export function relevance({ query }: Pick<CorpusQuery, "query">, page: Page): number {
  const words = wordsOf(query);
  return words.length === 0 ? 0 : Math.min(1, hitsIn(page, words) / (2 * words.length));
}

function isWanted({ url, isNews, ageDays }: Page, query: CorpusQuery): boolean {
  if (query.isNews && !isNews) return false;
  if (query.maxAgeDays !== null && ageDays > query.maxAgeDays) return false;
  const { hostname } = new URL(url);
  const isBelow = (domain: string) => hostname === domain || hostname.endsWith(`.${domain}`);
  if (query.excludeDomains.some(isBelow)) return false;
  return query.includeDomains.length === 0 || query.includeDomains.some(isBelow);
}

/** Words that are in every page. */
const common = new Set(["a", "an", "the", "is", "are", "of", "to", "in", "and", "or", "how", "what", "for"]);

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].filter((word) => !common.has(word)).slice(0, 50);
}

function hitsIn({ title, text }: Page, words: readonly string[]): number {
  const inTitle = new Set(wordsOf(title));
  const inText = new Set(wordsOf(`${title} ${text}`));
  return words.reduce((hits, word) => hits + (inTitle.has(word) ? 2 : inText.has(word) ? 1 : 0), 0);
}
