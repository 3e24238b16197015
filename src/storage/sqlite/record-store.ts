import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { CompactRecord } from "../../records/compact-record.ts";
import { eventOf } from "../../records/record-event.ts";
import type { RecordStore } from "../../records/record-store.ts";
import { RecordRejected } from "../../records/record-rejected.ts";
import { storableText } from "../../records/storable-text.ts";
import { rowToRecord } from "../record-row.ts";
import { requestColumns } from "../request-columns.ts";
import type { RequestRow } from "../schema.ts";
import { messageOf } from "../storage-error.ts";
import type { StorageLog } from "../storage.ts";
import { withoutCharge } from "../without-charge.ts";
import type { Checkpointer } from "./checkpointer.ts";
import { createClaimFinisher } from "./finish-claim.ts";
import { createEventWriter } from "./event-writer.ts";
import { createLedgerWriter } from "./ledger-writer.ts";
import { createResponseCodes } from "./response-codes.ts";
import { createRollupWriter } from "./rollup-writer.ts";

/** Records on SQLite, which can be committed together with other changes. */
export interface SqliteRecordStore extends RecordStore {
  /** Commits records in one transaction with what `change` does, or nothing if that is false. Throws as `insertAll`. */
  insertWith(records: readonly CompactRecord[], change: () => boolean): boolean;
}

/** How long a transfer holds up the event loop to wait for another process that is writing. */
const transferPatienceMs = 5;

interface SqliteRecordSettings {
  /** How long the connection waits for another one that is writing. */
  readonly patienceMs: number;
  readonly checkpointer: Checkpointer | null;
  readonly log: StorageLog;
}

/** Records on SQLite. Its statements are prepared once; committing is synchronous. */
export function createSqliteRecordStore(
  database: Database,
  { patienceMs, checkpointer, log }: SqliteRecordSettings,
): SqliteRecordStore {
  const statements = prepareStatements(database);
  const ledger = createLedgerWriter(database, log);
  const writeEvent = createEventWriter(database);
  const finishClaim = createClaimFinisher(database);
  const responseCodes = createResponseCodes(database);
  const rollups = createRollupWriter(database);
  let probes = 0;

  function insertAll(records: readonly CompactRecord[]): void {
    // Only those who end a claim wait for it in this turn: the others are in the journal and can come again.
    const isUrgent = records.some(({ idempotent }) => idempotent !== undefined);
    if (!isUrgent) database.run(`PRAGMA busy_timeout = ${transferPatienceMs}`);
    try {
      commitAll(records);
      checkpointer?.wrote(records.length);
    } finally {
      if (!isUrgent) database.run(`PRAGMA busy_timeout = ${patienceMs}`);
    }
  }

  function commitAll(records: readonly CompactRecord[], change = always): boolean {
    statements.begin.run();
    try {
      if (!change()) {
        statements.rollback.run();
        return false;
      }
      ledger.begin();
      rollups.begin();
      for (const record of records) {
        const isCharged = record.idempotent === undefined || finishClaim(record, record.idempotent);
        insert(isCharged ? record : withoutCharge(record));
      }
      ledger.finish();
      rollups.finish();
      if (records.length === 0) statements.probe.run((probes += 1).toString().padStart(4_096, "0"));
      statements.commit.run();
      return true;
    } catch (error) {
      // SQLite may have rolled back already, if the disk is full for one.
      if (database.inTransaction) statements.rollback.run();
      throw isRowFault(error) ? new RecordRejected(messageOf(error), error) : error;
    }
  }

  function insert(record: CompactRecord): void {
    const { changes, lastInsertRowid } = statements.insert.run(...valuesOf(record));
    if (changes > 0) {
      responseCodes.insert(record, Number(lastInsertRowid));
      ledger.book(record, false);
      noteEvent(record);
      rollups.add(record);
    } else if (record.status !== "pending") finalize(record);
  }

  /** Replaces a record that is still pending. */
  function finalize(record: CompactRecord): void {
    const changed = statements.finalize.get(...valuesOf(record), record.id);
    if (changed === null) return;
    responseCodes.insert(record, changed.sequence);
    ledger.book(record, true);
    rollups.add(record);
    noteEvent(record);
  }

  function noteEvent(record: CompactRecord): void {
    const event = eventOf(record);
    if (event !== null) writeEvent(event);
  }

  async function findByResponse(keyId: string, responseId: string): Promise<RequestRow | null> {
    for await (const sequence of responseCodes.candidates(keyId, responseId)) {
      const row = statements.bySequence.get(sequence, keyId, responseId);
      if (row !== null) return row;
    }
    return null;
  }

  return {
    isShared: false,
    busy: () => checkpointer?.running() ?? null,
    insertAll,
    insertWith: commitAll,
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

const always = () => true;

function prepareStatements(database: Database) {
  const columns = requestColumns.join(", ");
  const places = requestColumns.map(() => "?").join(", ");
  const changes = requestColumns.map((column) => `${column} = ?`);
  return {
    begin: database.prepare("begin immediate"),
    commit: database.prepare("commit"),
    rollback: database.prepare("rollback"),
    insert: database.prepare<unknown, SQLQueryBindings[]>(
      `insert into requests (${columns}) values (${places}) on conflict (id) do nothing`,
    ),
    finalize: database.prepare<{ sequence: number }, SQLQueryBindings[]>(
      `update requests set ${changes.join(", ")} where id = ? and status = 'pending' returning sequence`,
    ),
    probe: database.prepare<unknown, [string]>(
      "insert into write_probe (id, body) values (1, ?) on conflict (id) do update set body = excluded.body",
    ),
    byIdAlone: database.prepare<RequestRow, [string]>(`select ${columns} from requests where id = ?`),
    byId: database.prepare<RequestRow, [string, string]>(`select ${columns} from requests where id = ? and key_id = ?`),
    bySequence: database.prepare<RequestRow, [number, string, string]>(
      `select ${columns} from requests where sequence = ? and key_id = ? and response_id = ?`,
    ),
  };
}

/** The values of `requestColumns`. */
function valuesOf(record: CompactRecord): SQLQueryBindings[] {
  return [
    record.id,
    record.keyId,
    record.responseId,
    record.createdAt,
    record.model,
    record.endpoint,
    record.status,
    record.amountMicrousd,
    record.inputTokens,
    record.outputTokens,
    record.body,
    record.accountId,
    record.heldMicrousd,
    record.tags,
    record.endUser,
    record.session,
    record.counted.provider ?? "",
    record.counted.latencyMs,
  ];
}

/** Whether SQLite refused the row itself (a constraint, a wrong type, too big), rather than failing to write it. */
function isRowFault(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/.test(String(error.code))
  );
}
