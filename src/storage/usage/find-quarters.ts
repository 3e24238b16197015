import { type Kysely, sql } from "kysely";
import { timeOfRequestId } from "../../identifiers.ts";
import { endOfSpan, type RollupKind, rollupKinds, type RollupSpan, startOfSpan, startsIn } from "../../usage/rollup.ts";
import type { RecordFilter, TimeRange } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { Tables } from "../schema.ts";
import { all, type Condition, keyTimeRows, rollupConditions } from "./conditions.ts";
import { rollupTables } from "./rollup-columns.ts";

/** A span of time of a key and how many final records meet a filter in it. */
export interface KeyTime {
  readonly keyId: string;
  readonly startsAt: number;
  /** At least so many, if the filter is by what only the greatest is known of. */
  readonly requests: number;
}

/** Of the longest spans, so many are looked at first; then four times as many, and so on. */
const firstSpans = 4;
/** Spans of keys that are looked up by one statement. */
const atOnce = 2_000;

/**
 * Finds the quarters of an hour of keys with records that meet a filter, latest first, in batches that have about `wanted`
 * records: of the longest spans, those that have any are looked into. Of a filter with several facets only the
 * first one is looked at, so that some may have none.
 */
export function createQuarterFinder(
  db: Kysely<Tables>,
  kind: StorageKind,
  extentOf: (keyIds: readonly string[]) => Promise<TimeRange | null>,
) {
  /** Those of the spans that have any such records, latest first. */
  async function having(filter: RecordFilter, span: RollupSpan, times: readonly Time[]): Promise<KeyTime[]> {
    const found: KeyTime[] = [];
    for (let from = 0; from < times.length; from += atOnce) {
      const some = times.slice(from, from + atOnce);
      const starts = some.map(([, startsAt]) => startsAt);
      const conditions = [
        sql`span = ${sql.lit(span)} and key_id = owner and starts_at = first`,
        // Names what is joined once more, for a database that reads all of it first.
        sql`starts_at >= ${Math.min(...starts)} and starts_at <= ${Math.max(...starts)}`,
        ...facetConditions(filter),
        ...rollupConditions(filter),
      ];
      const { rows } = await sql<{ key_id: string; starts_at: number; requests: number }>`select key_id, starts_at,
          cast(${isByGreatest(filter) ? sql`count(*)` : sql`sum(requests)`} as bigint) as requests
        from (${keyTimeRows(kind, some)}) as times cross join ${sql.table(rollupTables[kindFor(filter)].name)}
        where ${all(conditions)} group by key_id, starts_at`.execute(db);
      for (const row of rows) found.push({ keyId: row.key_id, startsAt: row.starts_at, requests: row.requests });
    }
    return found.sort((a, b) => b.startsAt - a.startsAt);
  }

  /** The quarters within these spans: those of the latest are looked up first, as many as are wanted. */
  async function* within(
    filter: RecordFilter,
    [span, ...shorter]: readonly RollupSpan[],
    times: readonly Time[],
    { to, wanted }: { readonly to: number; readonly wanted: number },
  ): AsyncGenerator<KeyTime[]> {
    if (span === undefined) return;
    const found = await having(filter, span, times);
    const [next] = shorter;
    while (found.length > 0) {
      const some = found.splice(0, enough(found, wanted));
      if (next === undefined) {
        yield some;
        continue;
      }
      const parts = some.flatMap(({ keyId, startsAt }) =>
        startsIn(next, startsAt, Math.min(endOfSpan(span, startsAt), to)).map((at): Time => [keyId, at]),
      );
      yield* within(filter, shorter, parts, { to, wanted });
    }
  }

  return async function* find(
    filter: RecordFilter,
    keys: readonly string[],
    before: string | null,
    wanted: number,
  ): AsyncGenerator<KeyTime[]> {
    const extent = await extentOf(keys);
    if (extent === null) return;
    const from = Math.max(filter.from ?? 0, extent.from);
    let to = Math.min(filter.to ?? Infinity, before === null ? Infinity : timeOfRequestId(before) + 1, extent.to);
    const { spans } = rollupKinds[kindFor(filter)];
    for (let count = firstSpans; to > from; count *= 4) {
      let start = to;
      for (let spansBack = 0; spansBack < count && start > from; spansBack += 1)
        start = startOfSpan(spans[0], start - 1);
      const times = startsIn(spans[0], start, to).flatMap((at) => keys.map((keyId): Time => [keyId, at]));
      yield* within(filter, spans, times, { to, wanted });
      to = start;
    }
  };
}

type Time = readonly [keyId: string, startsAt: number];

/** How many to look through together: those that have so many records, with all keys of one time. */
export function enough(times: readonly KeyTime[], wanted: number): number {
  let records = 0;
  let count = 0;
  for (; count < times.length; count += 1) {
    if (records >= wanted && times[count]?.startsAt !== times[count - 1]?.startsAt) break;
    records += times[count]?.requests ?? 0;
  }
  return count;
}

/** Whether a sum tells only that it has such a record, and not how many. */
function isByGreatest({ minAmountMicrousd, minLatencyMs }: RecordFilter): boolean {
  return minAmountMicrousd !== null || minLatencyMs !== null;
}

function kindFor({ accountId, model, endpoint, statuses, provider, facets }: RecordFilter): RollupKind {
  const hasNames = [accountId, model, endpoint, statuses, provider].some((name) => name !== null);
  if (facets.length > 0) return hasNames ? "facetNames" : "facets";
  return hasNames ? "names" : "times";
}

function facetConditions({ facets: [facet] }: RecordFilter): Condition[] {
  return facet === undefined ? [] : [sql`facet = ${facet.name} and value = ${facet.value}`];
}
