import { dimensionNames } from "../../dimensions.ts";
import type { CompactRecord } from "../../records/compact-record.ts";
import { dayMs, quarterMs, toWhole } from "../../usage/rollup.ts";
import { addOnConflict, quantityColumns, rollupColumns, sumColumns } from "../usage/rollup-columns.ts";

/** What rollups need of a record beside its columns, as fields of the rows that are given to the statement. */
export const rollupFields = `provider text,
  ${quantityColumns.map((column) => `${column} bigint`).join(", ")}`;

const columnOf = new Map(dimensionNames.map((name, place) => [name, quantityColumns[place]]));

/** The values of `rollupFields`. An absent sum is 0. */
export function rollupFieldsOf({ counted }: CompactRecord): object {
  const fields: Record<string, string | number> = {
    provider: counted.provider ?? "",
  };
  for (const dimension of counted.dimensions) {
    const column = columnOf.get(dimension.name);
    if (column !== undefined) fields[column] = Number(fields[column] ?? 0) + toWhole(dimension);
  }
  return fields;
}

const sums = ["amount_microusd", ...quantityColumns].map((column) => `coalesce(sum(${column}), 0) as ${column}`);

/**
 * Parts of a statement that has `inserted` records, which were `chosen` from those that were given: adds what is final
 * to the rollups. Rows are written in one order, so that two processes never wait for each other.
 */
export const rollUp = `counted as (
    select key_id, created_at - created_at % ${quarterMs} as starts_at, account_id, model, endpoint,
      status, provider, count(*) as requests, ${sums.join(", ")}
      from chosen where status <> 'pending' and id in (select id from inserted)
      group by 1, 2, 3, 4, 5, 6, 7
  ),
  by_day as (
    select key_id, starts_at - starts_at % ${dayMs} as starts_at, account_id, model, endpoint, status, provider,
      sum(requests) as requests, ${sums.join(", ")}
      from counted group by 1, 2, 3, 4, 5, 6, 7
  ),
  rolled_up as (
    insert into usage_rollups (${rollupColumns.join(", ")})
      select ${quarterMs} as span, key_id, starts_at, account_id, model, endpoint, status, provider, ${sumColumns.join(", ")} from counted
      union all
      select ${dayMs}, key_id, starts_at, account_id, model, endpoint, status, provider, ${sumColumns.join(", ")} from by_day
      order by 1, 2, 3, 4, 5, 6, 7, 8
      ${addOnConflict}
  )`;
