import type { JsonObject } from "../json/values.ts";

/** Something that was asked for and not, or not wholly, done. */
export interface Downgrade {
  /** The caller's field: `region`. */
  readonly field: string;
  readonly reason: DowngradeReason;
}

/** Why something was not done. The codes are public. */
export type DowngradeReason =
  /** The provider has nothing like it. */
  | "unsupported"
  /** The provider has it, but not for this type of search or with the other fields. */
  | "unsupported_combination"
  /** The value is no country, language or the like that the provider, or anyone, knows. */
  | "unknown_value"
  /** The query is longer than the provider takes. */
  | "truncated"
  /** The answer is withheld, since nothing shows that it keeps to the domain rules. */
  | "domain_rules"
  /** The provider was asked, and returned none. */
  | "not_returned";

/** One result as a provider gives it: text may have markup and entities, and a date is in the provider's own form. */
export interface ProviderResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** The text of the page; null if there is none. */
  readonly content: string | null;
  readonly published: string | null;
  /** From 0 to 1; null if the provider has no such score. What is outside is clamped. */
  readonly score: number | null;
}

/** A provider's own answer to the query. */
export interface ProviderAnswerText {
  readonly text: string;
  /** The addresses of the pages that it cites; empty if it says nothing of them. */
  readonly citedUrls: readonly string[];
}

/** What a provider has answered. */
export interface ProviderAnswer {
  /** In the provider's order. */
  readonly results: readonly ProviderResult[];
  /** Null if there is none. */
  readonly answer: ProviderAnswerText | null;
  /** The provider's own id of the request, for its support; null if it tells none. */
  readonly requestId: string | null;
  /** Billing units as the provider reports them; null if it does not, and `capabilities.units` are charged. */
  readonly units: number | null;
  /** What it cost in USD, as the provider reports it; null if it does not. */
  readonly costUsd: number | null;
  /** The provider's usage as it came, for the record; empty if there is none. */
  readonly usage: JsonObject;
  /** What the provider says it did not do. */
  readonly downgrades: readonly Downgrade[];
}

/** One result as callers see it. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly content: string | null;
  /** RFC 3339 in UTC; null if it is not known for certain. */
  readonly published_at: string | null;
  /** From 0 to 1. */
  readonly score: number;
  /** The host of `url`, in punycode. */
  readonly source: string;
}
