/**
 * What a provider said a request consumed, in the neutral form that every dialect's usage reader yields.
 * Counts are disjoint: each token is in one of them, once.
 */

/** Tokens read. `prompt_tokens` of a record is the sum of all six. */
export interface InputTokens {
  /** Read at full price. 0 where the provider reports misses: they take its place. */
  readonly input: number;
  readonly cacheRead: number;
  /** Written to a cache whose lifetime the provider does not tell. */
  readonly cacheWrite: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Uncached input, where the provider reports it by that name (DeepSeek). */
  readonly cacheMiss: number;
}

/** What a usage object says, each side by itself; a side the provider did not report is null. */
export interface ReportedUsage {
  readonly input: InputTokens | null;
  /** Tokens written, reasoning included. */
  readonly output: number | null;
  /** The part of `output` spent on reasoning, where told. Informational: never billed by itself. */
  readonly reasoning: number | null;
  /** The provider's usage object, untouched. */
  readonly raw: Readonly<Record<string, unknown>>;
}
