/** Shorter keys are not hinted at: a few characters would be too much of them. */
const minHintedLength = 13;
const hintLength = 4;

/** The last characters of a long key; null for a short one, or none. */
export function keyHint(key: string | undefined): string | null {
  return key === undefined || key.length < minHintedLength ? null : `...${key.slice(-hintLength)}`;
}
