import type { Search } from "../../shell/search.ts";
import type { UsageFilter } from "../../usage/usage-api.ts";

/** The filters of the list, as they stand in the address. A tag stands there as `name=value`. */
export const filterNames = ["model", "endpoint", "status", "key", "account", "end_user", "session", "tag"] as const;
export type FilterName = (typeof filterNames)[number];

/** Those that only operators have. */
export const operatorFilters: ReadonlySet<FilterName> = new Set(["key", "account"]);

export type Filters = Readonly<Partial<Record<FilterName, string>>>;

export function readFilters(search: Search): Filters {
  return Object.fromEntries(filterNames.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
}

/** The same as parameters of the API. */
export function toUsageFilter({ tag, ...filters }: Filters): UsageFilter {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(tag ?? "") ?? [];
  return { ...filters, ...(name !== undefined && value !== undefined && { [`tag:${name}`]: value }) };
}
