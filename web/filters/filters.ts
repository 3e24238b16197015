import { readMoney } from "../format/money.ts";
import type { Search } from "../shell/search.ts";
import type { UsageFilter } from "../usage/usage-api.ts";

/**
 * The filters of records, as they stand in the address: a tag as `name=value`, statuses as `failed,refused`, a least cost in
 * USD and a least latency in milliseconds.
 */
export const filterNames = [
  "model",
  "endpoint",
  "status",
  "provider",
  "key",
  "account",
  "end_user",
  "session",
  "tag",
  "min_cost",
  "min_latency",
] as const;
export type FilterName = (typeof filterNames)[number];

/** Those that only operators have. */
export const operatorFilters: ReadonlySet<FilterName> = new Set(["key", "account"]);
/** Those of lists: sums know only their greatest. */
const listFilters: ReadonlySet<FilterName> = new Set(["min_cost", "min_latency"]);
export const summaryFilters: readonly FilterName[] = filterNames.filter((name) => !listFilters.has(name));
/** Those by which no latency is kept. */
const withoutLatency: readonly FilterName[] = ["end_user", "session", "tag"];

export type Filters = Readonly<Partial<Record<FilterName, string>>>;

export function readFilters(search: Search, names: readonly FilterName[] = filterNames): Filters {
  return Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
}

/** The same as parameters of the API. What is no amount goes as it is, so that the API says what is wrong with it. */
export function toUsageFilter({ tag, min_cost: cost, min_latency: latency, ...filters }: Filters): UsageFilter {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(tag ?? "") ?? [];
  return {
    ...filters,
    ...(name !== undefined && value !== undefined && { [`tag:${name}`]: value }),
    ...(cost !== undefined && { min_amount_microusd: String(readMoney(cost) ?? cost) }),
    ...(latency !== undefined && { min_latency_ms: latency }),
  };
}

/** Whether summaries of what is selected can tell how long requests took. */
export function hasLatency(filters: Filters): boolean {
  return withoutLatency.every((name) => filters[name] === undefined);
}
