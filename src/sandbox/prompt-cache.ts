const maxKeys = 10_000;

/** A simulated prompt cache: what one request of a key has read, the next one of that key finds. */
export interface PromptCache {
  /** Tokens of this prompt that are found; the rest is written. */
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
