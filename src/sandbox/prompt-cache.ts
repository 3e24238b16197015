const maxKeys = 10_000;

/** A simulated prompt cache: the input of a request is cached for later requests with the same key. */
export interface PromptCache {
  /** The cached tokens of this prompt; the rest is written to the cache. */
  read(key: string, inputTokens: number): number;
  reset(): void;
}

export function createPromptCache(): PromptCache {
  const tokensByKey = new Map<string, number>();
  return {
    read(key, inputTokens) {
      const known = tokensByKey.get(key) ?? 0;
      if (tokensByKey.size >= maxKeys) tokensByKey.clear();
      tokensByKey.set(key, Math.max(known, inputTokens));
      return Math.min(known, inputTokens);
    },
    reset: () => tokensByKey.clear(),
  };
}
