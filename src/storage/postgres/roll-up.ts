import { dimensionNames } from "../../dimensions.ts";
import type { CompactRecord } from "../../records/compact-record.ts";
import { facetsOf } from "../../usage/facets.ts";
import { bucketOf } from "../../usage/histogram.ts";
import { errorStatuses, quarterMs, type RollupKind, toWhole } from "../../usage/rollup.ts";
import {
  addOnConflict,
  durationColumns,
  otherColumns,
  quantityColumns,
  rollupTables,
  sumColumns,
} from "../usage/rollup-columns.ts";
import { startOfSpanIn } from "../usage/span-sql.ts";

/** What rollups need of a record beside its columns, as fields of the rows that are given to the statement. */
export const rollupFields = `facets json, cache_saved_microusd bigint, latencies text, first_bytes text, ${quantityColumns.map((column) => `${column} bigint`).join(", ")}`;

const columnOf = new Map(dimensionNames.map((name, place) => [name, quantityColumns[place]]));

/** The values of `rollupFields`. An absent sum is 0. */
export function rollupFieldsOf(record: CompactRecord): object {
  const { dimensions, latencyMs, timeToFirstByteMs, cacheSavedMicrousd } = record.counted;
  const sums: Record<string, number> = {};
  for (const dimension of dimensions) {
    const column = columnOf.get(dimension.name);
    if (column !== undefined) sums[column] = (sums[column] ?? 0) + toWhole(dimension);
  }
  const facets = facetsOf(record).map(({ name, value }) => [name, value]);
  const counted = (milliseconds: number | null) =>
    record.status === "succeeded" && milliseconds !== null ? `${bucketOf(milliseconds)}:1,` : "";
  return {
    ...sums,
    cache_saved_microusd: cacheSavedMicrousd,
    latencies: counted(latencyMs),
    first_bytes: counted(timeToFirstByteMs),
    facets: facets.length > 0 ? facets : null,
  };
}

const errorTerm = `case when status in (${errorStatuses.map((status) => `'${status}'`).join(", ")}) then 1 else 0 end`;
/** What rows come to: of records, or of sums of them. */
const sumsOf = (kind: RollupKind, source: "records" | "sums") => {
  const [requests, errors, amount, latency] =
    source === "records"
      ? ["count(*)", `sum(${errorTerm})`, "amount_microusd", "latency_ms"]
      : ["sum(requests)", "sum(errors)", "max_amount_microusd", "max_latency_ms"];
  const quantities = ["amount_microusd", "cache_saved_microusd", ...quantityColumns];
  const texts = rollupTables[kind].hasDurations ? durationColumns : [];
  return [
    `${requests} as requests, ${errors} as errors`,
    ...quantities.map((column) => `coalesce(sum(${column}), 0) as ${column}`),
    `max(${amount}) as max_amount_microusd, max(${latency}) as max_latency_ms`,
    ...texts.map((column) => `string_agg(${column}, '') as ${column}`),
  ].join(", ");
};

/** The columns that tell the rollups of a kind apart, beside their span and time. */
const namesOf = (kind: RollupKind) =>
  rollupTables[kind].identity.filter((column) => column !== "span" && column !== "starts_at").join(", ");
const startOf = (span: Parameters<typeof startOfSpanIn>[1], time: string) =>
  `${startOfSpanIn("postgres", span, time)} as starts_at`;

/** Inserts all spans of a kind. Rows are written in one order, so that two processes never wait for each other. */
function writeAll(kind: RollupKind): string {
  const table = rollupTables[kind];
  const { name, identity } = table;
  const columns = [...identity, ...sumColumns, ...otherColumns(table)].join(", ");
  const rows = table.spans.map((span) =>
    span === quarterMs
      ? `select ${span} as span, * from ${name}_quarters`
      : `select ${span} as span, ${startOf(span, "starts_at")}, ${namesOf(kind)}, ${sumsOf(kind, "sums")}
          from ${name}_quarters group by 2, ${namesOf(kind)}`,
  );
  return `${name}_written as (
    insert into ${name} (${columns})
      select ${columns} from (
        ${rows.join(" union all ")}
      ) as given order by ${identity.join(", ")}
      ${addOnConflict("postgres", table, sumColumns)}
  )`;
}

/** Adds the records of `source` to the rollups with names, and what these come to, to those without. */
function addTo(kind: RollupKind, unnamed: RollupKind, source: string): string {
  const { name } = rollupTables[kind];
  return `${name}_quarters as (
    select ${startOf(quarterMs, "created_at")}, ${namesOf(kind)}, ${sumsOf(kind, "records")}
      from ${source} group by 1, ${namesOf(kind)}
  ),
  ${rollupTables[unnamed].name}_quarters as (
    select starts_at, ${namesOf(unnamed)}, ${sumsOf(unnamed, "sums")}
      from ${name}_quarters group by 1, ${namesOf(unnamed)}
  ),
  ${writeAll(kind)},
  ${writeAll(unnamed)}`;
}

/** Parts of a statement that has `inserted` records, which were `chosen` from those that were given: adds what is final to the rollups. */
export const rollUp = `counted as (select * from chosen where status <> 'pending' and id in (select id from inserted)),
  faceted as (
    select counted.*, facet ->> 0 as facet, facet ->> 1 as value
      from counted cross join lateral json_array_elements(counted.facets) as given (facet) where counted.facets is not null
  ),
  ${addTo("names", "times", "counted")},
  ${addTo("facetNames", "facets", "faceted")}`;
