import type { Database, SQLQueryBindings } from "bun:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { RecordStore, UsageRecord } from "../../records/record.ts";
import { RecordRejected } from "../../records/record-rejected.ts";
import { recordToRow, rowToRecord, storableText } from "../record-row.ts";
import { requestColumns } from "../request-columns.ts";
import type { RequestRow, Tables } from "../schema.ts";
import { messageOf } from "../storage-error.ts";
import { withoutCharge } from "../without-charge.ts";
import { createClaimFinisher } from "./finish-claim.ts";

/** Stretches of the response index looked through before other work gets its turn. */
const stretchesPerTurn = 64;

/** Records on SQLite. Its statements are compiled and prepared once; committing is synchronous. */
export function createSqliteRecordStore(database: Database, db: Kysely<Tables>): RecordStore {
  const statements = prepareStatements(database, db);
  const finishClaim = createClaimFinisher(database);

  function insertAll(records: readonly UsageRecord[]): void {
    // Rows are made before the lock is taken.
    const rows = records.map((record) => ({ record, values: rowValues(recordToRow(record)) }));
    statements.begin.run();
    try {
      for (const { record, values } of rows) {
        const isCharged = record.idempotent === undefined || finishClaim(record, record.idempotent);
        statements.insert.run(...(isCharged ? values : rowValues(recordToRow(withoutCharge(record)))));
      }
      statements.commit.run();
    } catch (error) {
      // SQLite may have rolled back already, where the disk is full for one.
      if (database.inTransaction) statements.rollback.run();
      throw isRowFault(error) ? new RecordRejected(messageOf(error), error) : error;
    }
  }

  async function findByResponse(keyId: string, responseId: string): Promise<RequestRow | null> {
    const newest = statements.lastStretch.get()?.stretch ?? -1;
    for (let stretch = newest; stretch >= 0; stretch -= 1) {
      const row = statements.byResponse.get(stretch, keyId, responseId, responseId);
      if (row !== null) return row;
      if ((newest - stretch) % stretchesPerTurn === stretchesPerTurn - 1) await nextTurn();
    }
    return null;
  }

  return {
    insertAll,
    async find(keyId, id) {
      const searched = storableText(id);
      const row = statements.byId.get(searched, keyId) ?? (await findByResponse(keyId, searched));
      return row === null ? null : rowToRecord(row);
    },
    async findAnyones(id) {
      const row = statements.byIdAlone.get(storableText(id));
      return row === null ? null : rowToRecord(row);
    },
  };
}

function prepareStatements(database: Database, db: Kysely<Tables>) {
  const placeholders = sql.join(requestColumns.map(() => sql`${""}`));
  const insert = db
    .insertInto("requests")
    .columns(requestColumns)
    .expression(sql`values (${placeholders})`)
    .onConflict((conflict) => conflict.column("id").doNothing());
  const byIdAlone = db.selectFrom("requests").select(requestColumns).where("id", "=", "");
  const byId = byIdAlone.where("key_id", "=", "");
  // The expressions are the index's own (see the migration), word for word: SQLite compares them as text.
  const byResponse = db
    .selectFrom("requests")
    .select(requestColumns)
    .where(sql<number>`sequence >> 13`, "=", 0)
    .where("key_id", "=", "")
    .where(sql<boolean>`substr(response_id, -8) = substr(${""}, -8)`)
    .where("response_id", "=", "")
    // The plus keeps SQLite from walking the key's whole log in the order of ids.
    .orderBy(sql`+id`, "desc")
    .limit(sql.lit(1));
  return {
    begin: database.prepare("begin immediate"),
    commit: database.prepare("commit"),
    rollback: database.prepare("rollback"),
    insert: database.prepare<unknown, SQLQueryBindings[]>(insert.compile().sql),
    byIdAlone: database.prepare<RequestRow, [string]>(byIdAlone.compile().sql),
    byId: database.prepare<RequestRow, [string, string]>(byId.compile().sql),
    byResponse: database.prepare<RequestRow, [number, string, string, string]>(byResponse.compile().sql),
    lastStretch: database.prepare<{ stretch: number | null }, []>(
      "select max(sequence) >> 13 as stretch from requests",
    ),
  };
}

function rowValues(row: RequestRow): SQLQueryBindings[] {
  return requestColumns.map((column) => row[column]);
}

/** Whether SQLite refused the row itself (a constraint, a wrong type, too big), rather than failing to write it. */
function isRowFault(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/.test(String(error.code))
  );
}
