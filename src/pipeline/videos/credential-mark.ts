/** Tells one of a provider's keys from the others, without telling the key; null if there is none. */
export function credentialMark(apiKey: string | null): string | null {
  return apiKey === null ? null : new Bun.CryptoHasher("sha256").update(apiKey).digest("hex").slice(0, 16);
}

/** The key that has this mark, or else the first one: keys are replaced. Null if there are none. */
export function markedCredential(apiKeys: readonly string[], mark: string | null): string | null {
  return apiKeys.find((apiKey) => credentialMark(apiKey) === mark) ?? apiKeys[0] ?? null;
}
