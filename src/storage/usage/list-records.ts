import { type Kysely, sql } from "kysely";
import { requestIdAt } from "../../identifiers.ts";
import { allRecords, type RecordFilter, type RecordPage, type TimeRange } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import { requestColumns } from "../request-columns.ts";
import type { RequestRow, Tables } from "../schema.ts";
import { all, type Condition, idRangeRows, recordConditions } from "./conditions.ts";
import { createQuarterFinder, enough, type KeyTime } from "./find-quarters.ts";
import { quarterMs } from "../../usage/rollup.ts";

const columns = sql.raw(requestColumns.map((column) => `requests.${column}`).join(", "));
/** Records that are looked through before rollups are asked where else to look. */
const lookedThrough = 1_000;
/** As the indexes of what did not succeed say it. */
const isUnsuccessful = sql`status <> 'succeeded'`;
const isPending = sql`status = 'pending'`;
const isFinal = sql`status <> 'pending'`;

/**
 * Lists records, newest first. If few may meet the filter, rollups tell in which quarters of an hour keys have any, and
 * only those are looked through. Requests that did not succeed have indexes of their own, and so have pending ones, which
 * are in no rollup.
 */
export function createRecordList(
  db: Kysely<Tables>,
  kind: StorageKind,
  keyIds: () => Promise<string[]>,
  extentOf: (keyIds: readonly string[]) => Promise<TimeRange | null>,
) {
  const findQuarters = createQuarterFinder(db, kind, extentOf);

  async function newest(filter: RecordFilter, page: RecordPage, more: readonly Condition[]): Promise<RequestRow[]> {
    const { rows } =
      await sql<RequestRow>`select ${columns} from requests where ${all([...conditionsOf(kind, filter, page), ...more])}
      order by id desc limit ${page.limit}`.execute(db);
    return rows;
  }

  /** Looks through the records from the id `edge` up, which is null if there are few. */
  async function newestFrom(
    edge: string | null,
    filter: RecordFilter,
    page: RecordPage,
    more: readonly Condition[],
  ): Promise<RequestRow[]> {
    if (edge === null) return newest(filter, page, more);
    // One lower bound: of two, SQLite would search by one and look through all that the other one leaves out.
    return newestAfter(edge, { ...filter, from: null }, page, more);
  }

  async function newestAfter(
    edge: string,
    filter: RecordFilter,
    page: RecordPage,
    more: readonly Condition[],
  ): Promise<RequestRow[]> {
    const within = [...more, sql`id >= ${edge}`];
    if (kind === "sqlite" || more.length === 0) return newest(filter, page, within);
    // Postgres guesses that hardly any unsuccessful record has all names, and would look through those of all keys: what is
    // offset is planned by itself.
    const { rows } = await sql<RequestRow>`select ${columns} from (
        select * from requests where ${all([...conditionsOf(kind, nameless(filter), page), ...within])} offset 0
      ) as requests where ${all(recordConditions(kind, filter))} order by id desc limit ${page.limit}`.execute(db);
    return rows;
  }

  async function newestWithin(filter: RecordFilter, page: RecordPage, quarters: readonly KeyTime[]) {
    // All bounds are those of the ranges: of two, SQLite would search by one, and might take the wrong one.
    const from = requestIdAt(filter.from ?? 0);
    const to = filter.to === null ? null : requestIdAt(filter.to);
    const ranges = quarters.map(({ keyId, startsAt }) => {
      const after = [requestIdAt(startsAt + quarterMs), to, page.before].filter((bound) => bound !== null).toSorted();
      const first = requestIdAt(startsAt);
      return [keyId, first > from ? first : from, after[0] ?? ""] as const;
    });
    const unbounded = { ...filter, from: null, to: null };
    const isIndexed = hasSucceeded(filter) ? isFinal : isUnsuccessful;
    const [only] = ranges;
    const whole = { limit: page.limit, before: null };
    if (kind === "postgres" && only !== undefined && ranges.length === 1) {
      const [keyId, first, after] = only;
      return newest({ ...unbounded, keyId }, whole, [isIndexed, sql`id >= ${first} and id < ${after}`]);
    }
    const conditions = all([
      sql`key_id = owner and id >= first and id < after`,
      isIndexed,
      ...conditionsOf(kind, { ...unbounded, keyId: null }, whole),
    ]);
    // Postgres would compare all records with all ranges if it were not told to look within each range by itself; and in
    // the order of ids it would look through the records of all keys.
    const found =
      kind === "postgres"
        ? sql`lateral (select ${columns} from requests where ${conditions} offset 0) as requests`
        : sql`requests`;
    const { rows } = await sql<RequestRow>`select ${columns} from (${idRangeRows(kind, ranges)}) as ranges
      cross join ${found} where ${kind === "postgres" ? sql`true` : conditions}
      order by id desc limit ${page.limit}`.execute(db);
    return rows;
  }

  /** The id of the record that comes so many after the beginning of the page, whatever its names; null if there is none. */
  async function idAfter(
    filter: RecordFilter,
    page: RecordPage,
    count: number,
    more: readonly Condition[],
  ): Promise<string | null> {
    const { rows } = await sql<{
      id: string;
    }>`select id from requests where ${all([...conditionsOf(kind, nameless(filter), page), ...more])}
      order by id desc limit 1 offset ${count - 1}`.execute(db);
    return rows[0]?.id ?? null;
  }

  async function newestFinal(filter: RecordFilter, page: RecordPage): Promise<RequestRow[]> {
    const found: RequestRow[] = [];
    const keys = filter.keyId === null ? await keyIds() : [filter.keyId];
    for await (const quarters of findQuarters(filter, keys, page.before, page.limit)) {
      while (quarters.length > 0 && found.length < page.limit) {
        const limit = page.limit - found.length;
        const some = quarters.splice(0, enough(quarters, limit));
        found.push(...(await newestWithin(filter, { ...page, limit }, some)));
      }
      if (found.length >= page.limit) break;
    }
    return found;
  }

  return async function list(filter: RecordFilter, page: RecordPage): Promise<RequestRow[]> {
    const { statuses } = filter;
    if (isMetByAll(filter)) return newest(filter, page, []);
    if (statuses?.every((status) => status === "pending")) return newest(filter, page, [isPending]);
    const more = hasSucceeded(filter) ? [] : [isUnsuccessful];
    // Mostly the page is full of some of the newest records.
    const edge = await idAfter(filter, page, lookedThrough, more);
    const near = await newestFrom(edge, filter, page, more);
    if (edge === null || near.length === page.limit) return near;
    const rest = { before: edge, limit: page.limit - near.length };
    const final = await newestFinal(filter, rest);
    if (statuses !== null && !statuses.includes("pending")) return [...near, ...final];
    const pending = await newest(filter, rest, [isPending]);
    const far = [...final, ...pending].sort((a, b) => (a.id < b.id ? 1 : -1));
    return [...near, ...far].slice(0, page.limit);
  };
}

/** The same times and key. */
function nameless({ keyId, from, to }: RecordFilter): RecordFilter {
  return { ...allRecords, keyId, from, to };
}

/** Whether nothing but a key and times are asked for. */
function isMetByAll(filter: RecordFilter): boolean {
  const { accountId, model, endpoint, statuses, provider, minAmountMicrousd, minLatencyMs, facets } = filter;
  const others = [accountId, model, endpoint, statuses, provider, minAmountMicrousd, minLatencyMs];
  return facets.length === 0 && others.every((value) => value === null);
}

/** Whether records that succeeded may meet a filter. */
function hasSucceeded({ statuses }: RecordFilter): boolean {
  return statuses === null || statuses.includes("succeeded");
}

function conditionsOf(kind: StorageKind, filter: RecordFilter, { before }: RecordPage): Condition[] {
  if (before === null) return recordConditions(kind, filter);
  const { to } = filter;
  // One bound: of two, SQLite would search by one and look through all that the other one leaves out.
  const isWithin = to === null || before < requestIdAt(to);
  const conditions = recordConditions(kind, isWithin ? { ...filter, to: null } : filter);
  return isWithin ? [...conditions, sql`id < ${before}`] : conditions;
}
