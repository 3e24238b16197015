import { type Kysely, sql } from "kysely";
import type { UsageRecord } from "../../records/record.ts";
import { facetValue } from "../../usage/facets.ts";
import { dayMs } from "../../usage/rollup.ts";
import { errorStatuses, type RollupSum, type UsageStore } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import { rowToRecord } from "../record-row.ts";
import type { Tables } from "../schema.ts";
import { all, idRows, isOneOf, numberRows, rollupConditions } from "./conditions.ts";
import { createRecordList } from "./list-records.ts";
import { facetTable, plainTable, quantityColumns } from "./rollup-columns.ts";

/** SQLite runs in the event loop: a thousand rows take it about a millisecond, and a time of a key has some ten. */
const timesAtOnce: Readonly<Record<StorageKind, number>> = { sqlite: 400, postgres: 20_000 };

/** Reads usage from either database. */
export function createUsageStore(db: Kysely<Tables>, kind: StorageKind): UsageStore {
  async function keyIds(): Promise<string[]> {
    // Jumps from key to key in the index.
    const { rows } = await sql<{ id: string }>`with recursive found(id) as (
        select min(key_id) from usage_rollups where span = ${sql.lit(dayMs)}
        union all
        select (select min(key_id) from usage_rollups where span = ${sql.lit(dayMs)} and key_id > found.id)
          from found where found.id is not null
      ) select id from found where id is not null`.execute(db);
    return rows.map(({ id }) => id);
  }

  /** The columns of quantities that are above 0 in any of these days. One that is first written meanwhile is not told yet. */
  async function usedColumns(keys: readonly string[], from: number, to: number): Promise<readonly string[]> {
    const { rows } = await sql<
      Record<string, boolean | number | null>
    >`select ${isUsed} from ${sql.table(plainTable.name)}
      where span = ${sql.lit(dayMs)} and key_id ${isOneOf(kind, keys)} and starts_at > ${from - dayMs}
        and starts_at <= ${to}`.execute(db);
    const [row] = rows;
    return quantityColumns.filter((column) => Boolean(row?.[column]));
  }

  const listRecords = createRecordList(db, kind, keyIds);

  return {
    timesAtOnce: timesAtOnce[kind],
    keyIds,
    async list(filter, page) {
      const rows = await listRecords(filter, page);
      return rows.map((row): UsageRecord => rowToRecord(row));
    },
    async extent(keys) {
      const { rows } = await sql<{ first: number | null; last: number | null }>`select min(first) as first,
        max(last) as last from (
          select (select min(starts_at) from usage_rollups where span = ${sql.lit(dayMs)} and key_id = id) as first,
            (select max(starts_at) from usage_rollups where span = ${sql.lit(dayMs)} and key_id = id) as last
          from (${idRows(kind, keys)}) as keys
        ) as extents`.execute(db);
      const [row] = rows;
      return row === undefined || row.first === null || row.last === null
        ? null
        : { from: row.first, to: row.last + dayMs };
    },
    async sumRollups({ span, ranges, keyIds: keys, filter, facet, by, limit }): Promise<RollupSum[]> {
      const { name } = facet === null ? plainTable : facetTable;
      const names = by.map((column) => sql.ref(`${name}.${column}`));
      const groups = sql.join([sql.ref("place"), ...names]);
      const times = ranges.flatMap(({ from, to }, place) =>
        Array.from({ length: (to - from) / span }, (_, index) => ({ place, startsAt: from + index * span })),
      );
      const starts = times.map(({ startsAt }) => startsAt);
      const places = times.map(({ place }) => place);
      const [from, to] = [Math.min(...starts), Math.max(...starts)];
      // Days are few, and tell which columns the many shorter spans have: most of them are 0.
      const columnsNow = () => (span === dayMs ? quantityColumns : usedColumns(keys, from, to));
      const conditions = [
        sql`span = ${sql.lit(span)} and key_id ${isOneOf(kind, keys)} and starts_at = number`,
        // Names what is joined once more, for a database that reads all of it first.
        sql`starts_at >= ${from} and starts_at <= ${to}`,
        ...(facet === null ? [] : [sql`facet = ${facet.name}`]),
        ...(facet === null || facet.value === null ? [] : [sql`value = ${facetValue(facet.value)}`]),
        ...rollupConditions(filter),
      ];
      const sum = (columns: readonly string[]) =>
        sql<SumRow>`select ${groups}, ${sumsOf(columns)} from (${numberRows(kind, starts, places)}) as times
        cross join ${sql.table(name)} where ${all(conditions)} group by ${groups} limit ${limit}`.execute(db);
      let columns = await columnsNow();
      let { rows } = await sum(columns);
      // A column may have been used for the first time meanwhile.
      for (let later = await columnsNow(); later.length > columns.length; later = await columnsNow()) {
        columns = later;
        ({ rows } = await sum(columns));
      }
      return rows.map((row) => ({
        range: row.place,
        names: by.map((column) => row[column] ?? ""),
        requests: row.requests,
        errors: row.errors,
        amountMicrousd: row.amount_microusd,
        quantities: quantityColumns.map((column) => Number(row[column as keyof SumRow] ?? 0)),
      }));
    },
  };
}

interface SumRow {
  readonly place: number;
  readonly model?: string;
  readonly endpoint?: string;
  readonly status?: string;
  readonly provider?: string;
  readonly value?: string;
  readonly requests: number;
  readonly errors: number;
  readonly amount_microusd: number;
}

const sumOf = (term: string, name: string): string => `cast(coalesce(sum(${term}), 0) as bigint) as ${name}`;
const errorTerm = `case when status in (${errorStatuses.map((status) => `'${status}'`).join(", ")}) then requests else 0 end`;
const sumsOf = (columns: readonly string[]) =>
  sql.raw(
    [
      sumOf("requests", "requests"),
      sumOf(errorTerm, "errors"),
      ...["amount_microusd", ...columns].map((column) => sumOf(column, column)),
    ].join(", "),
  );
const isUsed = sql.raw(quantityColumns.map((column) => `max(${column}) > 0 as ${column}`).join(", "));
