import type { SumRow } from "../../api/types.ts";
import type { FilterName } from "../../filters/filters.ts";
import { words } from "../../words/en.ts";

/** What the sums can be told apart by. */
export const groups = ["model", "key", "account", "endpoint", "provider", "status", "end_user"] as const;
export type Group = (typeof groups)[number];

/** A member has one account, and knows keys by their ids alone. */
export const memberGroups: readonly Group[] = groups.filter((group) => group !== "account" && group !== "key");

export function asGroup(text: string | undefined, allowed: readonly Group[]): Group {
  return allowed.find((group) => group === text) ?? "model";
}

/** The names of keys by their ids, as far as they are known. */
export type KeyNames = ReadonlyMap<string, string>;

/** The name of a row's group. */
export function nameOf(row: SumRow, group: Group, keyNames: KeyNames): string {
  const value = row[group];
  if (value === null || value === undefined) return words.overview.nobody;
  return group === "key" ? (keyNames.get(value) ?? value) : value;
}

/** The filter of the requests of a row's group; null if none selects them. */
export function filterOf(row: SumRow, group: Group): Readonly<Partial<Record<FilterName, string>>> | null {
  const value = row[group];
  return value === null || value === undefined ? null : { [group]: value };
}
