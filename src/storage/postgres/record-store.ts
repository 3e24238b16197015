import { type Kysely, sql } from "kysely";
import type { Pool } from "pg";
import type { CompactRecord } from "../../records/compact-record.ts";
import type { RecordStore } from "../../records/record-store.ts";
import { RecordRejected } from "../../records/record-rejected.ts";
import { storableText } from "../../records/storable-text.ts";
import { recordToRow, rowToRecord } from "../record-row.ts";
import { requestColumns, requestColumnTypes } from "../request-columns.ts";
import type { Tables } from "../schema.ts";
import { messageOf } from "../storage-error.ts";
import { claimEnds, finishClaims, rightEnd, rowsForEitherEnd } from "./finish-claims.ts";

/** Records on Postgres. A batch of any size is one statement, whose text is always the same: Postgres plans it once. */
export function createPostgresRecordStore(pool: Pool, db: Kysely<Tables>): RecordStore {
  const insertText = insertStatement(db);
  const insertAndFinishText = `${finishClaims} ${insertStatement(db, ", if_lost boolean", rightEnd)}`;
  let probes = 0;

  async function insertAll(given: readonly CompactRecord[]): Promise<void> {
    const records = oncePerId(given);
    const ends = claimEnds(records);
    try {
      if (records.length === 0) {
        await sql`insert into write_probe (id, body) values (1, ${(probes += 1).toString().padStart(4_096, "0")})
          on conflict (id) do update set body = excluded.body`.execute(db);
      } else if (ends.length === 0) {
        const rows = JSON.stringify(records.map(recordToRow));
        await pool.query({ name: "insert_requests", text: insertText, values: [rows] });
      } else {
        const values = [JSON.stringify(rowsForEitherEnd(records)), JSON.stringify(ends)];
        await pool.query({ name: "insert_requests_and_finish", text: insertAndFinishText, values });
      }
    } catch (error) {
      throw isRowFault(error) ? new RecordRejected(messageOf(error), error) : error;
    }
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

function insertStatement(db: Kysely<Tables>, furtherColumns = "", condition = "true"): string {
  const typedColumns = requestColumns.map((column) => `${column} ${requestColumnTypes[column]}`).join(", ");
  return db
    .insertInto("requests")
    .columns(requestColumns)
    .expression(
      sql`select ${sql.join(requestColumns.map((column) => sql.ref(column)))}
        from json_to_recordset(${""}::json) as given (${sql.raw(typedColumns + furtherColumns)}) where ${sql.raw(condition)}`,
    )
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet(Object.fromEntries(requestColumns.map((column) => [column, sql.ref(`excluded.${column}`)])))
        .where("requests.status", "=", sql.lit("pending"))
        .where("excluded.status", "<>", sql.lit("pending")),
    )
    .compile().sql;
}

/** Whether Postgres refused the rows themselves: a wrong value (22), a broken constraint (23), too large (54). */
function isRowFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(22|23|54)[0-9A-Z]{3}$/.test(String(error.code));
}
