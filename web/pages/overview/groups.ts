import type { SumRow } from "../../api/types.ts";
import { words } from "../../words/en.ts";

/** What the sums can be told apart by. */
export const groups = ["model", "endpoint", "provider", "status", "end_user"] as const;
export type Group = (typeof groups)[number];

export function asGroup(text: string | undefined): Group {
  return groups.find((group) => group === text) ?? "model";
}

/** The name of a row's group. */
export function nameOf(row: SumRow, group: Group): string {
  return row[group] ?? words.overview.nobody;
}
