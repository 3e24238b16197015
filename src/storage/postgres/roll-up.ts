import { dimensionNames } from "../../dimensions.ts";
import type { CompactRecord } from "../../records/compact-record.ts";
import { facetsOf } from "../../usage/facets.ts";
import { quarterMs, toWhole } from "../../usage/rollup.ts";
import {
  addOnConflict,
  facetTable,
  plainTable,
  quantityColumns,
  rollupColumns,
  type RollupTable,
} from "../usage/rollup-columns.ts";

/** What rollups need of a record beside its columns, as fields of the rows that are given to the statement. */
export const rollupFields = `provider text, facets json, ${quantityColumns.map((column) => `${column} bigint`).join(", ")}`;

const columnOf = new Map(dimensionNames.map((name, place) => [name, quantityColumns[place]]));

/** The values of `rollupFields`. An absent sum is 0. */
export function rollupFieldsOf(record: CompactRecord): object {
  const { provider, dimensions } = record.counted;
  const sums: Record<string, number> = {};
  for (const dimension of dimensions) {
    const column = columnOf.get(dimension.name);
    if (column !== undefined) sums[column] = (sums[column] ?? 0) + toWhole(dimension);
  }
  const facets = facetsOf(record).map(({ name, value }) => [name, value]);
  return { provider: provider ?? "", ...sums, facets: facets.length > 0 ? facets : null };
}

const quantities = ["amount_microusd", ...quantityColumns].map((column) => `coalesce(sum(${column}), 0) as ${column}`);

/** Adds the records of `source` to a table of rollups. Rows are written in one order, so that two processes never wait for each other. */
function addTo(table: RollupTable, source: string): string {
  const names = table.identity.filter((column) => column !== "span" && column !== "starts_at").join(", ");
  const startOf = (time: string, span: number) => `${time} - ${time} % ${span} as starts_at`;
  const sums = (requests: string) => `${requests} as requests, ${quantities.join(", ")}`;
  const columns = rollupColumns(table).join(", ");
  const { name } = table;
  const rows = table.spans.map((span) =>
    span === quarterMs
      ? `select ${span} as span, * from ${name}_quarters`
      : `select ${span} as span, ${startOf("starts_at", span)}, ${names}, ${sums("sum(requests)")}
          from ${name}_quarters group by 2, ${names}`,
  );
  return `${name}_quarters as (
    select ${startOf("created_at", quarterMs)}, ${names}, ${sums("count(*)")} from ${source} group by 1, ${names}
  ),
  ${name}_written as (
    insert into ${name} (${columns})
      select ${columns} from (
        ${rows.join(" union all ")}
      ) as given order by ${table.identity.join(", ")}
      ${addOnConflict(table)}
  )`;
}

/** Parts of a statement that has `inserted` records, which were `chosen` from those that were given: adds what is final to the rollups. */
export const rollUp = `counted as (select * from chosen where status <> 'pending' and id in (select id from inserted)),
  faceted as (
    select counted.*, facet ->> 0 as facet, facet ->> 1 as value
      from counted cross join lateral json_array_elements(counted.facets) as given (facet) where counted.facets is not null
  ),
  ${addTo(plainTable, "counted")},
  ${addTo(facetTable, "faceted")}`;
