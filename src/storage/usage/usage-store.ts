import { type Kysely, type RawBuilder, sql } from "kysely";
import type { UsageRecord } from "../../records/record.ts";
import { dayMs, type RollupKind, startsIn } from "../../usage/rollup.ts";
import type { RollupColumn, RollupQuery, RollupSums, TimeRange, UsageStore } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import { rowToRecord } from "../record-row.ts";
import type { Tables } from "../schema.ts";
import { all, type Condition, idRows, isOneOf, type RangeRow, rangeRows, rollupConditions } from "./conditions.ts";
import { createRecordList } from "./list-records.ts";
import { commonSums, durationColumns, quantityColumns, rollupTables } from "./rollup-columns.ts";

/**
 * SQLite runs in the event loop, and reads a thousand rows in about a millisecond. A span of a key is one row without names,
 * some ten with names, and as many as there are values with a facet.
 */
const spansAtOnce: Readonly<Record<RollupKind, number>> = { names: 400, times: 4_000, facetNames: 100, facets: 400 };
const spansAtOnceInPostgres = 1_600;
/** Postgres reads on several processors: a month of hours is read in half the time. */
const readsAtOnceInPostgres = 3;

/** Reads usage from either database. */
export function createUsageStore(db: Kysely<Tables>, kind: StorageKind): UsageStore {
  async function keyIds(): Promise<string[]> {
    // Jumps from key to key in the index.
    const { rows } = await sql<{ id: string }>`with recursive found(id) as (
        select min(key_id) from usage_times where span = ${sql.lit(dayMs)}
        union all
        select (select min(key_id) from usage_times where span = ${sql.lit(dayMs)} and key_id > found.id)
          from found where found.id is not null
      ) select id from found where id is not null`.execute(db);
    return rows.map(({ id }) => id);
  }

  /** The columns of quantities that are known to be above 0 somewhere. Most never are, and need not be added up. */
  let used: readonly string[] = [];

  /** Learns which columns are above 0 in any of these days, and returns whether any was not known to be. */
  async function learnColumns(keys: readonly string[], from: number, to: number): Promise<boolean> {
    const { rows } = await sql<Record<string, boolean | number | null>>`select ${isUsed} from usage_times
      where span = ${sql.lit(dayMs)} and key_id ${isOneOf(kind, keys)} and starts_at > ${from - dayMs}
        and starts_at < ${to}`.execute(db);
    const [row] = rows;
    const found = quantityColumns.filter((column) => used.includes(column) || Boolean(row?.[column]));
    const isNews = found.length > used.length;
    used = found;
    return isNews;
  }

  async function sumRollups(query: RollupQuery): Promise<RollupSums> {
    const { ranges, keyIds: keys, limit, withDurations } = query;
    const by = query.by.map(columnOf);
    const groups = sql.raw(["place", ...by].join(", "));
    const from = Math.min(...ranges.map((range) => range.from));
    const to = Math.max(...ranges.map((range) => range.to));
    const sum = async (columns: readonly string[]): Promise<RollupSums> => {
      const texts = withDurations ? durationColumns : [];
      const joined = texts.map((column) => `${joinTexts[kind]}(${column}, '') as ${column}`);
      const rows = sql<Row>`select ${groups}, ${sql.raw([...sumNames(columns).map(sumOf), ...joined].join(", "))}
        from ${sourceOf(kind, query)} group by ${groups} limit ${limit}`;
      const selected = ["place", ...by, ...texts, ...sumNames(columns)];
      const values = await (kind === "postgres" ? readAsArrays : readColumns)(db, rows, selected);
      return sumsIn(values, by.length, withDurations, columns);
    };
    if (used.length === 0) await learnColumns(keys, from, to);
    let sums = await sum(used);
    // What was written meanwhile may be the first to use a column.
    while (await learnColumns(keys, from, to)) sums = await sum(used);
    return sums;
  }

  async function extent(keys: readonly string[]): Promise<TimeRange | null> {
    const { rows } = await sql<{ first: number | null; last: number | null }>`select min(first) as first,
      max(last) as last from (
        select (select min(starts_at) from usage_times where span = ${sql.lit(dayMs)} and key_id = id) as first,
          (select max(starts_at) from usage_times where span = ${sql.lit(dayMs)} and key_id = id) as last
        from (${idRows(kind, keys)}) as keys
      ) as extents`.execute(db);
    const [row] = rows;
    return row === undefined || row.first === null || row.last === null
      ? null
      : { from: row.first, to: row.last + dayMs };
  }

  const listRecords = createRecordList(db, kind, keyIds, extent);

  return {
    spansAtOnce: (of) => (kind === "sqlite" ? spansAtOnce[of] : spansAtOnceInPostgres),
    readsAtOnce: kind === "sqlite" ? 1 : readsAtOnceInPostgres,
    keyIds,
    async list(filter, page) {
      const rows = await listRecords(filter, page);
      return rows.map((row): UsageRecord => rowToRecord(row));
    },
    extent,
    sumRollups,
  };
}

type Row = Readonly<Record<string, string | number>>;
/** The values of each column that was selected, by row. */
type Columns = readonly (readonly (string | number)[])[];

async function readColumns(db: Kysely<Tables>, select: RawBuilder<Row>, names: readonly string[]): Promise<Columns> {
  const { rows } = await select.execute(db);
  return names.map((name) => rows.map((row) => row[name] ?? 0));
}

/**
 * Reads each column as one array: the client of Postgres decodes each value by itself, which takes longer than Postgres needs
 * to add thousands of rows up.
 */
async function readAsArrays(db: Kysely<Tables>, select: RawBuilder<Row>, names: readonly string[]): Promise<Columns> {
  const arrays = names.map((name) => `array_to_json(array_agg(${name})) as ${name}`).join(", ");
  const { rows } = await sql<Record<string, Columns[number] | null>>`select ${sql.raw(arrays)}
    from (${select}) as sums`.execute(db);
  return names.map((name) => rows[0]?.[name] ?? []);
}

/** @param columns the quantities among the columns, which are the last of them */
function sumsIn(values: Columns, namesCount: number, withDurations: boolean, columns: readonly string[]): RollupSums {
  // As the query has them: numbers, but for the names and the histograms.
  const [ranges = [], ...others] = values as readonly (readonly number[])[];
  const texts = values.slice(1) as readonly (readonly string[])[];
  const [latencies = [], firstBytes = []] = texts.slice(namesCount);
  const sums = others.slice(namesCount + (withDurations ? durationColumns.length : 0));
  const [requests = [], errors = [], amountsMicrousd = [], cacheSavedMicrousd = [], ...quantities] = sums;
  return {
    count: ranges.length,
    ranges,
    names: texts.slice(0, namesCount),
    requests,
    errors,
    amountsMicrousd,
    cacheSavedMicrousd,
    durations: withDurations ? { latencies, firstBytes } : null,
    quantities: quantities.map((sums, index) => ({ place: quantityColumns.indexOf(columns[index] ?? ""), sums })),
  };
}

/** The rollups that a query adds up, each with the `place` of its range. */
function sourceOf(kind: StorageKind, query: RollupQuery): Condition {
  const { span, ranges, keyIds, filter, facet } = query;
  const table = sql.table(rollupTables[query.kind].name);
  const conditions = [sql`span = ${sql.lit(span)} and key_id ${isOneOf(kind, keyIds)}`];
  if (facet !== null) conditions.push(sql`facet = ${facet.name}`);
  if (kind === "postgres" && (facet === null || facet.value === null) && areAdjacent(ranges)) {
    // One scan of all, which takes half as long as one for each of hundreds of ranges.
    const from = ranges[0]?.from ?? 0;
    const to = ranges.at(-1)?.to ?? 0;
    conditions.push(sql`starts_at >= ${from} and starts_at < ${to}`, ...rollupConditions(filter));
    // As text, which takes the client less than an array.
    const starts = `{${ranges.map((range) => range.from).join(",")}}`;
    return sql`(select width_bucket(starts_at, ${starts}::bigint[]) - 1 as place, * from ${table}
      where ${all(conditions)}) as rollups`;
  }
  let rows: readonly RangeRow[];
  if (facet === null || facet.value === null) {
    rows = ranges.map((range, place) => [place, range.from, range.to]);
    conditions.push(sql`starts_at >= first and starts_at < after`);
  } else {
    // Values come after times in the index: of each time it finds the one that is looked for.
    rows = ranges.flatMap((range, place) =>
      startsIn(span, range.from, range.to).map((startsAt): RangeRow => [place, startsAt, startsAt]),
    );
    conditions.push(sql`starts_at = first and value = ${facet.value}`);
  }
  conditions.push(...rollupConditions(filter));
  const given = sql`(${rangeRows(kind, rows)}) as ranges`;
  // Postgres would compare all rollups with all ranges if it were not told to look within each range by itself.
  return kind === "postgres"
    ? sql`${given} cross join lateral (select * from ${table} where ${all(conditions)} offset 0) as rollups`
    : sql`${given} cross join ${table} where ${all(conditions)}`;
}

/** Whether each range begins where the one before it ends. */
function areAdjacent(ranges: RollupQuery["ranges"]): boolean {
  return ranges.every(({ from }, place) => place === 0 || ranges[place - 1]?.to === from);
}

const sumOf = (column: string): string => `cast(coalesce(sum(${column}), 0) as bigint) as ${column}`;
const sumNames = (columns: readonly string[]) => [...commonSums, ...columns];
const joinTexts: Readonly<Record<StorageKind, string>> = { sqlite: "group_concat", postgres: "string_agg" };
const columnOf = (name: RollupColumn) => (name === "key" ? "key_id" : name === "account" ? "account_id" : name);
const isUsed = sql.raw(quantityColumns.map((column) => `max(${column}) > 0 as ${column}`).join(", "));
