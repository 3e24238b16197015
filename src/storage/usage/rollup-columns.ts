import { dimensionNames } from "../../dimensions.ts";
import { facetSpans, type Rollup, type RollupSpan, spans } from "../../usage/rollup.ts";

/** The columns of sums, one for each dimension, in the order of `dimensionNames`. */
export const quantityColumns = dimensionNames.map((name) => `sum_${name}`);
export const sumColumns = ["requests", "amount_microusd", ...quantityColumns];

/** The columns that tell rollups apart, after their span, key and time. */
export const nameColumns = ["account_id", "model", "endpoint", "status", "provider"];

/** A table of rollups: of all records, or of those with some facet, by its value. */
export interface RollupTable {
  readonly name: "usage_rollups" | "usage_facets";
  readonly identity: readonly string[];
  readonly spans: readonly RollupSpan[];
}

export const plainTable: RollupTable = {
  name: "usage_rollups",
  identity: ["span", "key_id", "starts_at", ...nameColumns],
  spans,
};
export const facetTable: RollupTable = {
  name: "usage_facets",
  identity: ["span", "key_id", "facet", "starts_at", "value", ...nameColumns],
  spans: facetSpans,
};

/** The end of a statement that inserts rollups: those that are there are added to. */
export function addOnConflict({ name, identity }: RollupTable): string {
  return `on conflict (${identity.join(", ")}) do update set
    ${sumColumns.map((column) => `${column} = ${name}.${column} + excluded.${column}`).join(", ")}`;
}

export function tableOf({ facet }: Rollup): RollupTable {
  return facet === null ? plainTable : facetTable;
}

/** The columns of the rollup's table, in their order. */
export function rollupColumns({ identity }: RollupTable): string[] {
  return [...identity, ...sumColumns];
}

/** The values of these columns. */
export function rollupValues(rollup: Rollup): (string | number)[] {
  const { span, keyId, startsAt, facet, accountId, model, endpoint, status, provider } = rollup;
  const place = facet === null ? [span, keyId, startsAt] : [span, keyId, facet.name, startsAt, facet.value];
  const sums = [rollup.requests, rollup.amountMicrousd, ...rollup.quantities];
  return [...place, accountId, model, endpoint, status, provider, ...sums];
}
