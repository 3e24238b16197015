import {
  type AuditCounts,
  type AuditObserver,
  type EntryFacts,
  entryFindings,
  type Finding,
  recordFindings,
} from "../../billing/audit.ts";
import { billIn } from "../../records/compact-record.ts";
import type { RollupKind } from "../../usage/rollup.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { RequestRow } from "../schema.ts";
import {
  allRollupKinds,
  countedColumns,
  type CountedRow,
  createRollupAudit,
  newRollupSalt,
  type RollupSalt,
  type RollupTotals,
} from "../usage/rollup-audit.ts";
import { auditAccounts } from "./account-audit.ts";
import { type RecordRange, within } from "./audit-range.ts";
import {
  entriesOfRecord,
  EntryChecksums,
  entryHash,
  type EntryTotals,
  joinedEntriesQuery,
  mayCancelOut,
  readEntrySums,
} from "./entry-audit.ts";
import type { AuditQuery, ReadEach } from "./read-each.ts";

/** What an audit reads of a record. */
interface RecordRow extends CountedRow, Pick<RequestRow, "id" | "held_microusd" | "body"> {
  readonly tokens: number;
  /** The sums of its entries, on SQLite. */
  readonly entries?: string | null;
  /** On Postgres. */
  readonly entry_hash?: number;
}

/** Records of a range: on SQLite each with its entries, on Postgres with what checks all entries at once. */
function recordsQuery(kind: StorageKind, range: RecordRange, salt: RollupSalt): AuditQuery<RecordRow> {
  const [key, entries] =
    kind === "postgres"
      ? ["id", `${entryHash("account_id", "id", salt)} as entry_hash`]
      : ["sequence", `${entriesOfRecord} as entries`];
  return `select id, held_microusd, body, input_tokens + output_tokens as tokens, ${countedColumns(kind)}, ${entries}
    from requests where ${within(key, range)}`;
}

/** Entries of requests of which their account has no record. */
const missingRecordsQuery = (condition: string): AuditQuery<MissingRecordRow> => `select ledger_entries.id, request_id
  from ledger_entries
  left join requests on requests.id = ledger_entries.request_id and requests.account_id = ledger_entries.account_id
  where request_id is not null and requests.id is null and ${condition}`;

interface MissingRecordRow {
  readonly id: string;
  readonly request_id: string;
}

/** A part of an audit that a thread can do by itself: some of the records, all sums of a kind, or the entries of records. */
export type AuditPart = RecordRange | RollupKind | { readonly entriesOf: RecordRange };

/** What a part has found. */
export interface AuditPartResult {
  readonly findings: readonly Finding[];
  readonly records: number;
  /** Entries that were found for these records one by one. */
  readonly entries: number;
  /** What the entries of these records should come to, on Postgres. */
  readonly dueEntries: EntryTotals;
  readonly totals: RollupTotals;
}

/** Does one part of an audit. */
export async function auditPart(
  kind: StorageKind,
  part: AuditPart,
  salt: RollupSalt,
  readEach: ReadEach,
): Promise<AuditPartResult> {
  const rollups = createRollupAudit(kind, salt);
  const dueEntries = new EntryChecksums(salt);
  const findings: Finding[] = [];
  let entries = 0;
  let records = 0;
  const compareEntries = (facts: EntryFacts, found: number): void => {
    entries += found;
    findings.push(...entryFindings(facts));
  };
  if (typeof part === "string") {
    await rollups.read(part, readEach);
  } else if ("entriesOf" in part) {
    await readEach(joinedEntriesQuery(part.entriesOf), (row) => {
      const sums = readEntrySums(row.entries);
      compareEntries({ ...row, ...sums }, sums.entries);
    });
  } else {
    records = await readEach(recordsQuery(kind, part, salt), (row) => {
      const { id, status, amount_microusd: amount, held_microusd: held, tokens } = row;
      const { measurement, lineItems, counted } = billIn(row.body);
      const usage = { dimensions: counted.dimensions, measurement };
      findings.push(...recordFindings({ id, amount, held, lineItems, tokens, usage }));
      if (row.entry_hash === undefined) {
        const sums = readEntrySums(row.entries ?? null);
        compareEntries({ id, status, amount, held, ...sums }, sums.entries);
      } else {
        dueEntries.addRecord({ status, amount, held }, row.entry_hash);
      }
      rollups.add(row, counted);
    });
  }
  return { findings, records, entries, dueEntries: dueEntries.totals, totals: rollups.totals() };
}

/** The keys at which records are divided into parts of so many. Records that come later belong to the last part. */
export async function divideRecords(
  kind: StorageKind,
  readEach: ReadEach,
  recordsPerPart: number,
): Promise<RecordRange[]> {
  const starts: string[] = [];
  if (kind === "sqlite") {
    const bounds: AuditQuery<{ readonly first: number | null; readonly last: number | null }> =
      "select min(sequence) as first, max(sequence) as last from requests";
    await readEach(bounds, ({ first, last }) => {
      if (first === null || last === null) return;
      const step = Math.max(recordsPerPart, Math.ceil((last - first) / maxParts));
      for (let start = first + step; start <= last; start += step) starts.push(String(start));
    });
  } else {
    let bytes = 0;
    const size: AuditQuery<{ readonly bytes: number }> = "select pg_relation_size('requests') as bytes";
    await readEach(size, (row) => void (bytes = row.bytes));
    // The keys of a sample are as good, and need not all be read.
    const percent = bytes < sampledBytes ? 100 : 1;
    const step = Math.max(1, Math.round((recordsPerPart * percent) / 100));
    const ids: AuditQuery<{ readonly id: string }> = `select id from (
        select id, row_number() over (order by id) as place from requests tablesample system (${percent})
      ) as placed where place > 1 and (place - 1) % ${step} = 0 order by id`;
    await readEach(ids, ({ id }) => void starts.push(`'${id.replaceAll("'", "''")}'`));
  }
  return [null, ...starts].map((from, place) => ({ from, to: starts[place] ?? null }));
}

/** More would only cost messages. */
const maxParts = 10_000;
/** A table of more than this is divided by a sample of it: some 2 million records. */
const sampledBytes = 1_000_000_000;

/**
 * Audits the book that `readEach` reads at one moment.
 * @param doParts does parts of the audit, with the same salt and at the same moment
 */
export async function auditBook(
  kind: StorageKind,
  ranges: readonly RecordRange[],
  readEach: ReadEach,
  doParts: (parts: readonly AuditPart[], salt: RollupSalt, look: (result: AuditPartResult) => void) => Promise<void>,
  { onFinding, onProgress }: AuditObserver,
): Promise<AuditCounts> {
  const salt = newRollupSalt();
  const rollups = createRollupAudit(kind, salt);
  const dueEntries = new EntryChecksums(salt);
  let records = 0;
  /** Entries that were found one by one. */
  let matched = 0;
  // The sums of a kind may take longer than any range: begun last, they would keep one thread busy alone.
  const parts: AuditPart[] = [...allRollupKinds, ...ranges];
  let done = 0;
  const look = (result: AuditPartResult): void => {
    onProgress?.((done += 1), parts.length);
    records += result.records;
    matched += result.entries;
    dueEntries.add(result.dueEntries);
    rollups.merge(result.totals);
    result.findings.forEach(onFinding);
  };
  const working = doParts([...parts], salt, look);
  const [book] = await Promise.all([auditAccounts(kind, salt, readEach, onFinding), working]);
  const agree = kind === "postgres" && !dueEntries.differFrom(book.entryTotals);
  if (kind === "postgres" && !agree) {
    const joined = ranges.map((range) => ({ entriesOf: range }));
    parts.push(...joined);
    await doParts(joined, salt, look);
  }
  if (agree ? book.cancelling > 0 : book.ofRequests !== matched) {
    await readEach(missingRecordsQuery(agree ? mayCancelOut : "true"), ({ id, request_id }) => {
      onFinding({ kind: "missing_record", subject: id, message: `its account has no record of ${request_id}` });
    });
  }
  await rollups.compare(readEach, onFinding);
  return { accounts: book.accounts, entries: book.entries, records };
}
