import { type Kysely, sql } from "kysely";
import { timeOfRequestId } from "../../identifiers.ts";
import { facetValue } from "../../usage/facets.ts";
import { dayMs, quarterMs } from "../../usage/rollup.ts";
import type { RecordFilter } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { Tables } from "../schema.ts";
import { all, type Condition, isOneOf, numberRows, rollupConditions } from "./conditions.ts";
import { facetTable, plainTable } from "./rollup-columns.ts";

/** A quarter of an hour and how many final records meet a filter in it. */
export interface Quarter {
  readonly startsAt: number;
  readonly requests: number;
}

/** Looked up together. */
const maxDays = 64;
const maxQuarters = 256;
/** The end of time, as far as numbers in a statement go. */
const never = 8_640_000_000_000_000;

/**
 * Finds the quarters of an hour with records that meet a filter, latest first, in batches: first the days, then their
 * quarters. Of a filter with several facets only the first one is looked at, so that some may have none.
 */
export function createQuarterFinder(db: Kysely<Tables>, kind: StorageKind) {
  async function findDays(filter: RecordFilter, keys: readonly string[], from: number, to: number): Promise<number[]> {
    const conditions = [
      sql`span = ${sql.lit(dayMs)} and key_id ${isOneOf(kind, keys)} and starts_at > ${from - dayMs} and starts_at < ${to}`,
      ...facetConditions(filter),
      ...rollupConditions(filter),
    ];
    const { rows } = await sql<{ starts_at: number }>`select distinct starts_at from ${tableFor(filter)}
      where ${all(conditions)} order by starts_at desc limit ${sql.lit(maxDays)}`.execute(db);
    return rows.map((row) => row.starts_at);
  }

  async function findWithin(filter: RecordFilter, keys: readonly string[], days: readonly number[], to: number) {
    const starts = days
      .flatMap((day) => Array.from({ length: dayMs / quarterMs }, (_, index) => day + index * quarterMs))
      .filter((startsAt) => startsAt < to);
    const conditions = [
      sql`span = ${sql.lit(quarterMs)} and key_id ${isOneOf(kind, keys)} and starts_at = number`,
      sql`starts_at >= ${days.at(-1) ?? 0} and starts_at < ${to}`,
      ...facetConditions(filter),
      ...rollupConditions(filter),
    ];
    const { rows } = await sql<{ starts_at: number; number: number }>`select starts_at,
        cast(sum(requests) as bigint) as number
      from (${numberRows(
        kind,
        starts,
        starts.map(() => 0),
      )}) as times cross join ${tableFor(filter)} where ${all(conditions)}
      group by starts_at order by starts_at desc limit ${sql.lit(maxQuarters)}`.execute(db);
    return rows.map((row): Quarter => ({ startsAt: row.starts_at, requests: row.number }));
  }

  return async function* find(
    filter: RecordFilter,
    keys: readonly string[],
    before: string | null,
  ): AsyncGenerator<Quarter[]> {
    const from = filter.from ?? 0;
    let to = Math.min(filter.to ?? never, before === null ? never : timeOfRequestId(before) + 1);
    while (to > from) {
      const days = await findDays(filter, keys, from, to);
      const oldest = days.at(-1);
      if (oldest === undefined) return;
      const quarters = await findWithin(filter, keys, days, to);
      yield quarters;
      const last = quarters.at(-1);
      to = quarters.length < maxQuarters || last === undefined ? oldest : last.startsAt;
    }
  };
}

function tableFor({ facets }: RecordFilter) {
  return sql.table(facets.length === 0 ? plainTable.name : facetTable.name);
}

function facetConditions({ facets: [facet] }: RecordFilter): Condition[] {
  return facet === undefined ? [] : [sql`facet = ${facet.name} and value = ${facetValue(facet.value)}`];
}
