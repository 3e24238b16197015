import { dimensionNames } from "../../dimensions.ts";
import { histogramText } from "../../usage/histogram.ts";
import { type Rollup, type RollupKind, rollupKinds, type RollupSpan } from "../../usage/rollup.ts";

/** The columns of sums, one for each dimension, in the order of `dimensionNames`. */
export const quantityColumns = dimensionNames.map((name) => `sum_${name}`);
/** Sums that all rollups have. */
export const commonSums = ["requests", "errors", "amount_microusd", "cache_saved_microusd"];
export const sumColumns = [...commonSums, ...quantityColumns];
/** The greatest of a single request. */
export const maxColumns = ["max_amount_microusd", "max_latency_ms"];
/** Histograms as texts, in tables without facets. */
export const durationColumns = ["latencies", "first_bytes"];

/** The columns of names. The model comes first, since few records may have it. */
const nameColumns = ["model", "account_id", "endpoint", "status", "provider"];

/** A table of rollups. */
export interface RollupTable {
  readonly name: "usage_rollups" | "usage_times" | "usage_facet_rollups" | "usage_facets";
  readonly kind: RollupKind;
  readonly identity: readonly string[];
  /** Longest first. */
  readonly spans: readonly RollupSpan[];
  readonly hasDurations: boolean;
}

function tableOf(kind: RollupKind, name: RollupTable["name"]): RollupTable {
  const { hasFacet, hasNames, spans } = rollupKinds[kind];
  const place = hasFacet ? ["span", "key_id", "facet", "starts_at", "value"] : ["span", "key_id", "starts_at"];
  return { name, kind, identity: hasNames ? [...place, ...nameColumns] : place, spans, hasDurations: !hasFacet };
}

export const rollupTables: Readonly<Record<RollupKind, RollupTable>> = {
  names: tableOf("names", "usage_rollups"),
  times: tableOf("times", "usage_times"),
  facetNames: tableOf("facetNames", "usage_facet_rollups"),
  facets: tableOf("facets", "usage_facets"),
};

/** The columns of a table beside those of its identity and its sums. */
export function otherColumns({ hasDurations }: RollupTable): readonly string[] {
  return hasDurations ? [...maxColumns, ...durationColumns] : maxColumns;
}

/** The end of a statement that inserts rollups with these sums: those that are there are added to. */
export function addOnConflict(kind: "sqlite" | "postgres", table: RollupTable, sums: readonly string[]): string {
  const { name, identity, hasDurations } = table;
  const greatest = kind === "postgres" ? "greatest" : "max";
  const changes = [
    ...sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`),
    ...maxColumns.map((column) => `${column} = ${greatest}(${name}.${column}, excluded.${column})`),
    ...(hasDurations ? durationColumns.map((column) => `${column} = ${addedTexts(kind, name, column)}`) : []),
  ];
  return `on conflict (${identity.join(", ")}) do update set ${changes.join(", ")}`;
}

/** Characters of a histogram beyond which its buckets are counted together, once in so many requests. */
const maxText = 250;
const requestsTogether = 32;

/**
 * Two histograms, one after the other; from time to time, each bucket once. On SQLite the writer has counted together what
 * is there and what comes, which takes it a tenth of the time.
 */
function addedTexts(kind: "sqlite" | "postgres", table: string, column: string): string {
  if (kind === "sqlite") return `excluded.${column}`;
  const both = `${table}.${column} || excluded.${column}`;
  // As a JSON object, in which a name may come several times.
  const object = `'{"' || replace(replace(rtrim(${both}, ','), ':', '":'), ',', ',"') || '}'`;
  const before = `${table}.requests`;
  const isTime = `${before} / ${requestsTogether} < (${before} + excluded.requests) / ${requestsTogether}`;
  return `case when length(${both}) <= ${maxText} or not ${isTime} then ${both} else (
      select string_agg(key || ':' || count || ',', '') from (
        select key, sum(cast(value as bigint)) as count from json_each_text((${object})::json) as parts group by key
      ) as counts
    ) end`;
}

/** The places of the quantities that are above 0 in any of the rollups: the others need not be written. */
export function usedPlaces(rollups: readonly Rollup[]): number[] {
  return quantityColumns.flatMap((_column, place) =>
    rollups.some(({ quantities }) => quantities[place] !== 0) ? [place] : [],
  );
}

/** The columns of sums that have such quantities. */
export function sumColumnsOf(places: readonly number[]): string[] {
  return [...commonSums, ...places.map((place) => quantityColumns[place] ?? "")];
}

/** The values of the table's identity. */
export function identityValues({ span, keyId, startsAt, facet, names }: Rollup): (string | number)[] {
  const values = facet === null ? [span, keyId, startsAt] : [span, keyId, facet.name, startsAt, facet.value];
  if (names !== null) values.push(names.model, names.accountId, names.endpoint, names.status, names.provider);
  return values;
}

/** The values of the table's identity, of those columns and of its other ones. */
export function rollupValues(rollup: Rollup, places: readonly number[]): (string | number)[] {
  const values = identityValues(rollup);
  values.push(rollup.requests, rollup.errors, rollup.amountMicrousd, rollup.cacheSavedMicrousd);
  for (const place of places) values.push(rollup.quantities[place] ?? 0);
  values.push(rollup.maxAmountMicrousd, rollup.maxLatencyMs);
  const { durations } = rollup;
  if (durations !== null) values.push(histogramText(durations.latencies), histogramText(durations.firstBytes));
  return values;
}
