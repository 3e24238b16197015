import { type Kysely, sql } from "kysely";
import type { Pool, PoolClient } from "pg";
import { chargeForgiven } from "../../billing/accounts/ledger.ts";
import type { CompactRecord } from "../../records/compact-record.ts";
import type { RecordStore } from "../../records/record-store.ts";
import { RecordRejected } from "../../records/record-rejected.ts";
import { storableText } from "../../records/storable-text.ts";
import { recordToRow, rowToRecord } from "../record-row.ts";
import { requestColumns, requestColumnTypes } from "../request-columns.ts";
import type { Tables } from "../schema.ts";
import { messageOf } from "../storage-error.ts";
import type { StorageLog } from "../storage.ts";
import { bookEntries, entryRows, type ForgivenRow } from "./book-records.ts";
import { eventFields, eventFieldsOf, insertEvents } from "./insert-events.ts";
import { claimEnds, finishClaims, forEitherEnd, rightEnd } from "./finish-claims.ts";
import { rollUp, rollupFields, rollupFieldsOf } from "./roll-up.ts";

/** Records on Postgres. A batch of any size is one statement, whose text is always the same: Postgres plans it once. */
export function createPostgresRecordStore(pool: Pool, db: Kysely<Tables>, log: StorageLog): RecordStore {
  let probes = 0;

  async function insertAll(given: readonly CompactRecord[]): Promise<void> {
    const records = oncePerId(given);
    try {
      if (records.length === 0) {
        await sql`insert into write_probe (id, body) values (1, ${(probes += 1).toString().padStart(4_096, "0")})
          on conflict (id) do update set body = excluded.body`.execute(db);
      } else logForgiven(await insertRecords(pool, records));
    } catch (error) {
      throw isRowFault(error) ? new RecordRejected(messageOf(error), error) : error;
    }
  }

  function logForgiven(forgiven: readonly ForgivenRow[]): void {
    for (const { account_id: account, request_id, amount_microusd } of forgiven)
      log.warn({ account, request_id, amount_microusd }, chargeForgiven);
  }

  return {
    isShared: true,
    busy: () => null,
    insertAll,
    async find(keyId, id) {
      const searched = storableText(id);
      const ofKey = db.selectFrom("requests").select(requestColumns).where("key_id", "=", keyId);
      const row =
        (await ofKey.where("id", "=", searched).executeTakeFirst()) ??
        (await ofKey.where("response_id", "=", searched).orderBy("id", "desc").limit(1).executeTakeFirst());
      return row === undefined ? null : rowToRecord(row);
    },
    async findAnyones(id) {
      const query = db.selectFrom("requests").select(requestColumns).where("id", "=", storableText(id));
      const row = await query.executeTakeFirst();
      return row === undefined ? null : rowToRecord(row);
    },
  };
}

/** One statement may not touch a row twice: of records with one id, the first final one stands, else the first. */
function oncePerId(records: readonly CompactRecord[]): readonly CompactRecord[] {
  const byId = new Map<string, CompactRecord>();
  for (const record of records) {
    const standing = byId.get(record.id);
    if (standing === undefined || (standing.status === "pending" && record.status !== "pending")) {
      byId.set(record.id, record);
    }
  }
  return byId.size === records.length ? records : [...byId.values()];
}

const columnList = requestColumns.join(", ");
const typedColumns = requestColumns.map((column) => `${column} ${requestColumnTypes[column]}`).join(", ");

/** Inserts the records of `$1`, books them, adds them to the rollups, and writes their events. */
const insertAndBook = (condition: string) => `chosen as (
    select * from json_to_recordset($1::json) as given (${typedColumns}, lease_id text, ${eventFields}, ${rollupFields}, if_lost boolean)
      where ${condition}
  ),
  inserted as (
    insert into requests (${columnList}) select ${columnList} from chosen
      on conflict (id) do update set ${requestColumns.map((column) => `${column} = excluded.${column}`).join(", ")}
        where requests.status = 'pending' and excluded.status <> 'pending'
      returning id, xmax = 0 as is_new
  ),
  written as (select chosen.id, chosen.if_lost, inserted.is_new from inserted join chosen on chosen.id = inserted.id),
  ${insertEvents},
  ${rollUp},
  ${bookEntries}`;

const insertText = `with ${insertAndBook("true")}`;
const insertAndFinishText = `${finishClaims}, ${insertAndBook(rightEnd)}`;

/** Inserts records and what follows from them, within the transaction at hand if there is one. Each id is there once. */
export async function insertRecords(
  pool: Pool | PoolClient,
  records: readonly CompactRecord[],
): Promise<ForgivenRow[]> {
  const ends = claimEnds(records);
  const possible = forEitherEnd(records);
  const rows = possible.map(({ record, ifLost }) => ({
    ...recordToRow(record),
    ...eventFieldsOf(record),
    ...rollupFieldsOf(record),
    lease_id: record.leaseId ?? null,
    if_lost: ifLost,
  }));
  const values = [JSON.stringify(rows), JSON.stringify(entryRows(possible))];
  const query =
    ends.length === 0
      ? { name: "insert_requests", text: insertText, values }
      : { name: "insert_requests_and_finish", text: insertAndFinishText, values: [...values, JSON.stringify(ends)] };
  return (await pool.query<ForgivenRow>(query)).rows;
}

/** Whether Postgres refused the rows themselves: a wrong value (22), a broken constraint (23), too large (54). */
function isRowFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(22|23|54)[0-9A-Z]{3}$/.test(String(error.code));
}
