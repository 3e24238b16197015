import type { JsonObject } from "../json/values.ts";

/** What is searched. */
export const searchTypes = ["web", "news"] as const;
export type SearchType = (typeof searchTypes)[number];

/** How old a result may be. */
export const timeRanges = ["day", "week", "month", "year"] as const;
export type TimeRange = (typeof timeRanges)[number];

export const searchDepths = ["basic", "advanced"] as const;
export type SearchDepth = (typeof searchDepths)[number];

/** A language tag, taken apart. Canonical case: `pt`, `Hant`, `BR`. */
export interface Language {
  /** The whole tag: `zh-Hant-TW`. */
  readonly tag: string;
  /** Two or three lower-case letters. */
  readonly language: string;
  readonly script: string | null;
  readonly region: string | null;
}

/**
 * A search as one provider is asked for it: it holds nothing that the provider's capabilities rule out, and what the
 * gateway does itself (filtering, clipping) is no longer in it.
 */
export interface ProviderQuery {
  readonly query: string;
  readonly type: SearchType;
  /** How many results to ask for: at most the provider's `maxResults`. */
  readonly count: number;
  /** ISO 3166-1 alpha-2 in upper case: `DE`. Null if none is asked for. */
  readonly country: string | null;
  readonly language: Language | null;
  readonly timeRange: TimeRange | null;
  readonly depth: SearchDepth;
  readonly includeAnswer: boolean;
  readonly includeRawContent: boolean;
  /** Host names in punycode; empty if there is nothing to send, or the gateway filters by itself. */
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
  /** The caller's `provider_options` for this provider, without reserved names. */
  readonly options: JsonObject;
  /** When the request arrived, in milliseconds since 1970. */
  readonly now: number;
}
