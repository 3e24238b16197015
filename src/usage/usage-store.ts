import type { RecordStatus, UsageRecord } from "../records/record.ts";
import type { Facet, FacetName } from "./facets.ts";
import type { RollupKind, RollupSpan } from "./rollup.ts";

/** Which records. Null stands for all. */
export interface RecordFilter {
  readonly keyId: string | null;
  readonly accountId: string | null;
  readonly model: string | null;
  /** A path, as records have it. */
  readonly endpoint: string | null;
  /** Any of these. */
  readonly statuses: readonly RecordStatus[] | null;
  /** The provider's id. */
  readonly provider: string | null;
  /** Records that cost, and took, at least so much. Sums cannot be filtered by these. */
  readonly minAmountMicrousd: number | null;
  readonly minLatencyMs: number | null;
  /** Milliseconds since 1970, inclusive. */
  readonly from: number | null;
  /** Exclusive. */
  readonly to: number | null;
  /** Those that records must have, all of them. */
  readonly facets: readonly Facet[];
}

/** A filter that all records meet. */
export const allRecords: RecordFilter = {
  keyId: null,
  accountId: null,
  model: null,
  endpoint: null,
  statuses: null,
  provider: null,
  minAmountMicrousd: null,
  minLatencyMs: null,
  from: null,
  to: null,
  facets: [],
};

export interface RecordPage {
  readonly limit: number;
  /** The request id after which the page begins: its records are older. Null begins with the newest. */
  readonly before: string | null;
}

/** What rollups can be told apart by. `value` is that of the facet. */
export type RollupColumn = "key" | "account" | "model" | "endpoint" | "status" | "provider" | "value";

/** A span of time, from its first instant to the one after its last, in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Times that begin and end where spans do, each added up by itself. */
export interface RollupQuery {
  /** With names if it is filtered or told apart by any, with facets if `facet` is given. */
  readonly kind: RollupKind;
  readonly span: RollupSpan;
  readonly ranges: readonly TimeRange[];
  readonly keyIds: readonly string[];
  /** Its times, key and facets are not looked at. */
  readonly filter: RecordFilter;
  /** Only what has this facet, with any value if that is null. */
  readonly facet: { readonly name: FacetName; readonly value: string | null } | null;
  readonly by: readonly RollupColumn[];
  /** Whether histograms of durations are wanted: only of kinds without facets. */
  readonly withDurations: boolean;
  /** Sums that are returned, at most. */
  readonly limit: number;
}

/** What rollups add up to, column by column: a row of thousands needs no object of its own. */
export interface RollupSums {
  /** The number of rows. */
  readonly count: number;
  /** The place of each row's range in the query. */
  readonly ranges: readonly number[];
  /** In the order of the query's `by`. */
  readonly names: readonly (readonly string[])[];
  readonly requests: readonly number[];
  readonly errors: readonly number[];
  readonly amountsMicrousd: readonly number[];
  readonly cacheSavedMicrousd: readonly number[];
  /** Those that any row may have, by their place in `dimensionNames`. */
  readonly quantities: readonly { readonly place: number; readonly sums: readonly number[] }[];
  /** Histograms as texts; null if they were not asked for. */
  readonly durations: { readonly latencies: readonly string[]; readonly firstBytes: readonly string[] } | null;
}

/** Lists records and reads what they add up to. Implemented by `src/storage`. */
export interface UsageStore {
  /** How many spans of keys may be summed up in one go: more would hold up a storage that shares the event loop. */
  spansAtOnce(kind: RollupKind): number;
  /** How many times `sumRollups` may be called at the same time for one summary. */
  readonly readsAtOnce: number;
  /** Records by id, newest first. Ids sort by the time at which records were created. */
  list(filter: RecordFilter, page: RecordPage): Promise<UsageRecord[]>;
  /** The keys that have records. */
  keyIds(): Promise<string[]>;
  /** The time from the first to the last of their rollups; null if there are none. */
  extent(keyIds: readonly string[]): Promise<TimeRange | null>;
  sumRollups(query: RollupQuery): Promise<RollupSums>;
}
