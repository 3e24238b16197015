import { type RawBuilder, sql } from "kysely";
import { requestIdAt } from "../../identifiers.ts";
import { storableText } from "../../records/storable-text.ts";
import type { Facet } from "../../usage/facets.ts";
import type { RecordFilter } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";

/** A part of a statement that is true of some rows. */
export type Condition = RawBuilder<unknown>;

export function all(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** Is among the values, which are one parameter however many they are. */
export function isOneOf(kind: StorageKind, values: readonly string[]): Condition {
  return kind === "postgres"
    ? sql`= any(${[...values]})`
    : sql`in (select value from json_each(${JSON.stringify(values)}))`;
}

/** Values as rows with an `id`. */
export function idRows(kind: StorageKind, values: readonly string[]): Condition {
  return kind === "postgres"
    ? sql`select unnest(${[...values]}::text[]) as id`
    : sql`select value as id from json_each(${JSON.stringify(values)})`;
}

/** A place and the bounds of a range of times. */
export type RangeRow = readonly [place: number, first: number, after: number];

/** Ranges of times as rows with a `place`, a `first` and an `after`. */
export function rangeRows(kind: StorageKind, ranges: readonly RangeRow[]): Condition {
  const column = (index: 0 | 1 | 2) => ranges.map((range) => range[index]);
  return kind === "postgres"
    ? sql`select * from unnest(${column(0)}::integer[], ${column(1)}::bigint[], ${column(2)}::bigint[])
        as given (place, first, after)`
    : sql`select value ->> 0 as place, value ->> 1 as first, value ->> 2 as after
        from json_each(${JSON.stringify(ranges)})`;
}

/** Times of keys as rows with an `owner` and a `first`. */
export function keyTimeRows(kind: StorageKind, times: readonly (readonly [keyId: string, first: number])[]): Condition {
  return kind === "postgres"
    ? sql`select * from unnest(${times.map(([keyId]) => keyId)}::text[], ${times.map(([, first]) => first)}::bigint[])
        as given (owner, first)`
    : sql`select value ->> 0 as owner, value ->> 1 as first from json_each(${JSON.stringify(times)})`;
}

/** Ranges of the ids of keys' records as rows with an `owner`, a `first` and what comes `after` the last. */
export function idRangeRows(
  kind: StorageKind,
  ranges: readonly (readonly [keyId: string, first: string, after: string])[],
): Condition {
  const column = (index: 0 | 1 | 2) => ranges.map((range) => range[index]);
  return kind === "postgres"
    ? sql`select * from unnest(${column(0)}::text[], ${column(1)}::text[], ${column(2)}::text[])
        as given (owner, first, after)`
    : sql`select value ->> 0 as owner, value ->> 1 as first, value ->> 2 as after
        from json_each(${JSON.stringify(ranges)})`;
}

/** The conditions of a filter on records. */
export function recordConditions(kind: StorageKind, filter: RecordFilter): Condition[] {
  const { keyId, from, to, minAmountMicrousd: minAmount, minLatencyMs: minLatency, facets } = filter;
  const conditions: Condition[] = [];
  if (keyId !== null) conditions.push(sql`key_id = ${keyId}`);
  if (from !== null) conditions.push(sql`id >= ${requestIdAt(from)}`);
  if (to !== null) conditions.push(sql`id < ${requestIdAt(to)}`);
  conditions.push(...nameConditions(filter));
  if (minAmount !== null) conditions.push(sql`amount_microusd >= ${minAmount}`);
  if (minLatency !== null) conditions.push(sql`latency_ms >= ${minLatency}`);
  for (const facet of facets) conditions.push(hasFacet(kind, facet));
  return conditions;
}

function hasFacet(kind: StorageKind, { name, value }: Facet): Condition {
  if (name === "end_user" || name === "session") return sql`${sql.ref(name)} = ${value}`;
  const tag = name.slice("tag:".length);
  // Whatever the name is, it is one name and no path.
  return kind === "postgres"
    ? sql`tags::json ->> ${tag} = ${value}`
    : sql`exists (select 1 from json_each(tags) as tag where tag.key = ${tag} and tag.value = ${value})`;
}

/** The conditions of a filter on rollups, without its key, times and facets. */
export function rollupConditions(filter: RecordFilter): Condition[] {
  const { minAmountMicrousd: minAmount, minLatencyMs: minLatency } = filter;
  const conditions = nameConditions(filter);
  // Of what has a single such request: whether others of the same sum are such ones is not known.
  if (minAmount !== null) conditions.push(sql`max_amount_microusd >= ${minAmount}`);
  if (minLatency !== null) conditions.push(sql`max_latency_ms >= ${minLatency}`);
  return conditions;
}

function nameConditions({ accountId, model, endpoint, statuses, provider }: RecordFilter): Condition[] {
  const conditions: Condition[] = [];
  if (accountId !== null) conditions.push(sql`account_id = ${accountId}`);
  if (model !== null) conditions.push(sql`model = ${storableText(model)}`);
  if (endpoint !== null) conditions.push(sql`endpoint = ${storableText(endpoint)}`);
  if (statuses !== null) conditions.push(sql`status in (${sql.join(statuses)})`);
  if (provider !== null) conditions.push(sql`provider = ${storableText(provider)}`);
  return conditions;
}
