/** The result of one check. */
export interface Finding {
  readonly name: string;
  /** The value found, and its bound. */
  readonly text: string;
  /** `null`: not judged in this run. */
  readonly ok: boolean | null;
}

/** Formats the first items of a list. */
export function some(list: readonly string[], max = 3): string {
  if (list.length === 0) return "";
  return `: ${list.slice(0, max).join(", ")}${list.length > max ? ", ..." : ""}`;
}
