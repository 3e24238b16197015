import { dimensionNames } from "../../dimensions.ts";
import { type Rollup, type RollupKind, rollupKinds, type RollupSpan } from "../../usage/rollup.ts";

/** The columns of sums, one for each dimension, in the order of `dimensionNames`. */
export const quantityColumns = dimensionNames.map((name) => `sum_${name}`);
export const sumColumns = ["requests", "errors", "amount_microusd", ...quantityColumns];

/** The columns of names. The model comes first, since few records may have it. */
const nameColumns = ["model", "account_id", "endpoint", "status", "provider"];

/** A table of rollups. */
export interface RollupTable {
  readonly name: "usage_rollups" | "usage_times" | "usage_facet_rollups" | "usage_facets";
  readonly kind: RollupKind;
  readonly identity: readonly string[];
  /** Longest first. */
  readonly spans: readonly RollupSpan[];
}

function tableOf(kind: RollupKind, name: RollupTable["name"]): RollupTable {
  const { hasFacet, hasNames, spans } = rollupKinds[kind];
  const place = hasFacet ? ["span", "key_id", "facet", "starts_at", "value"] : ["span", "key_id", "starts_at"];
  return { name, kind, identity: hasNames ? [...place, ...nameColumns] : place, spans };
}

export const rollupTables: Readonly<Record<RollupKind, RollupTable>> = {
  names: tableOf("names", "usage_rollups"),
  times: tableOf("times", "usage_times"),
  facetNames: tableOf("facetNames", "usage_facet_rollups"),
  facets: tableOf("facets", "usage_facets"),
};

/** The end of a statement that inserts rollups with these sums: those that are there are added to. */
export function addOnConflict({ name, identity }: RollupTable, sums: readonly string[]): string {
  return `on conflict (${identity.join(", ")}) do update set
    ${sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`).join(", ")}`;
}

/** The places of the quantities that are above 0 in any of the rollups: the others need not be written. */
export function usedPlaces(rollups: readonly Rollup[]): number[] {
  return quantityColumns.flatMap((_column, place) =>
    rollups.some(({ quantities }) => quantities[place] !== 0) ? [place] : [],
  );
}

/** The columns of sums that have such quantities. */
export function sumColumnsOf(places: readonly number[]): string[] {
  return ["requests", "errors", "amount_microusd", ...places.map((place) => quantityColumns[place] ?? "")];
}

/** The values of the table's identity and of those columns. */
export function rollupValues(rollup: Rollup, places: readonly number[]): (string | number)[] {
  const { span, keyId, startsAt, facet, names } = rollup;
  const values = facet === null ? [span, keyId, startsAt] : [span, keyId, facet.name, startsAt, facet.value];
  if (names !== null) values.push(names.model, names.accountId, names.endpoint, names.status, names.provider);
  values.push(rollup.requests, rollup.errors, rollup.amountMicrousd);
  for (const place of places) values.push(rollup.quantities[place] ?? 0);
  return values;
}
