/** Records from one key up to, but not including, another, as SQL has them; null if nothing bounds them. */
export interface RecordRange {
  readonly from: string | null;
  readonly to: string | null;
}

/** The condition that a key lies in a range. */
export function within(key: string, { from, to }: RecordRange): string {
  const bounds = [from === null ? [] : `${key} >= ${from}`, to === null ? [] : `${key} < ${to}`].flat();
  return bounds.length === 0 ? "true" : bounds.join(" and ");
}
