/** One thing that was checked. */
export interface Finding {
  readonly name: string;
  /** The value found, and the value expected. */
  readonly detail: string;
  /** `null`: this run cannot tell. */
  readonly ok: boolean | null;
}

/** Some of a list, as words. */
export function some(list: readonly string[], most = 3): string {
  if (list.length === 0) return "";
  return `: ${list.slice(0, most).join(", ")}${list.length > most ? ", ..." : ""}`;
}
