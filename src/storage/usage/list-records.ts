import { type Kysely, sql } from "kysely";
import { requestIdAt } from "../../identifiers.ts";
import type { RecordFilter, RecordPage } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations.ts";
import { requestColumns } from "../request-columns.ts";
import type { RequestRow, Tables } from "../schema.ts";
import { all, type Condition, rangeRows, recordConditions } from "./conditions.ts";
import { createQuarterFinder, type Quarter } from "./find-quarters.ts";
import { quarterMs } from "../../usage/rollup.ts";

const columns = sql.raw(requestColumns.map((column) => `requests.${column}`).join(", "));
const isPending = sql`status = 'pending'`;
const isFinal = sql`status <> 'pending'`;

/**
 * Lists records, newest first. If few may meet the filter, rollups tell in which quarters of an hour there are any, and
 * only those are looked through. Pending records are in no rollup, and have an index of their own.
 */
export function createRecordList(db: Kysely<Tables>, kind: StorageKind, keyIds: () => Promise<string[]>) {
  const findQuarters = createQuarterFinder(db, kind);

  async function newest(filter: RecordFilter, page: RecordPage, more: readonly Condition[]): Promise<RequestRow[]> {
    const { rows } =
      await sql<RequestRow>`select ${columns} from requests where ${all([...conditionsOf(kind, filter, page), ...more])}
      order by id desc limit ${page.limit}`.execute(db);
    return rows;
  }

  async function newestWithin(filter: RecordFilter, page: RecordPage, quarters: readonly Quarter[]) {
    const ranges = quarters.map(({ startsAt }) => ({
      first: requestIdAt(startsAt),
      after: requestIdAt(startsAt + quarterMs),
    }));
    const [only] = ranges;
    if (only !== undefined && ranges.length === 1) {
      return newest(filter, page, [isFinal, sql`id >= ${only.first} and id < ${only.after}`]);
    }
    const conditions = [sql`id >= first and id < after`, isFinal, ...conditionsOf(kind, filter, page)];
    const { rows } = await sql<RequestRow>`select ${columns} from (${rangeRows(kind, "text", ranges)}) as ranges
      cross join requests where ${all(conditions)} order by id desc limit ${page.limit}`.execute(db);
    return rows;
  }

  async function newestFinal(filter: RecordFilter, page: RecordPage): Promise<RequestRow[]> {
    const found: RequestRow[] = [];
    const keys = filter.keyId === null ? await keyIds() : [filter.keyId];
    for await (const quarters of findQuarters(filter, keys, page.before)) {
      let rest = quarters;
      while (rest.length > 0 && found.length < page.limit) {
        const limit = page.limit - found.length;
        const count = enough(rest, limit);
        found.push(...(await newestWithin(filter, { ...page, limit }, rest.slice(0, count))));
        rest = rest.slice(count);
      }
      if (found.length >= page.limit) break;
    }
    return found;
  }

  return async function list(filter: RecordFilter, page: RecordPage): Promise<RequestRow[]> {
    const { accountId, model, endpoint, status, facets } = filter;
    const names = [accountId, model, endpoint, status];
    if (facets.length === 0 && names.every((name) => name === null)) return newest(filter, page, []);
    if (status === "pending") return newest(filter, page, [isPending]);
    const final = await newestFinal(filter, page);
    if (status !== null) return final;
    const pending = await newest(filter, page, [isPending]);
    return [...final, ...pending].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
  };
}

function conditionsOf(kind: StorageKind, filter: RecordFilter, { before }: RecordPage): Condition[] {
  const conditions = recordConditions(kind, filter);
  return before === null ? conditions : [...conditions, sql`id < ${before}`];
}

/** How many quarters to look through together: those that fill the page; one with many records stays by itself. */
function enough(quarters: readonly Quarter[], limit: number): number {
  let count = 0;
  let records = 0;
  for (const { requests } of quarters) {
    if (count > 0 && (records >= limit || requests > limit)) break;
    records += requests;
    count += 1;
  }
  return count;
}
