import {
  type AccountFacts,
  accountFindings,
  type AuditCounts,
  budgetFindings,
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
import { modulus } from "../usage/rollup-checksums.ts";
import { type RecordRange, within } from "./audit-range.ts";
import { recountAll } from "./budget-sql.ts";
import {
  entriesOfRecord,
  EntryChecksums,
  entryChecksumColumns,
  entryHash,
  type EntryTotals,
  joinedEntriesQuery,
  mayCancelOut,
  readEntrySums,
} from "./entry-audit.ts";
import type { AuditQuery, ReadEach } from "./read-each.ts";

/** Every account with what its entries and leases come to, and what entries name without being there. */
function accountsQuery(kind: StorageKind, salt: RollupSalt): AuditQuery<AccountFactsRow> {
  const [low, high] = kind === "postgres" ? entryChecksumColumns(salt) : ["0", "0"];
  return `select accounts.id, entries.account_id as entry_account, mode,
    coalesce(balance_microusd, 0) as balance, coalesce(accounts.held_microusd, 0) as held,
    coalesce(leased_microusd, 0) as leased, cast(coalesce(entries.number, 0) as bigint) as entries,
    cast(coalesce(entries.balance, 0) as bigint) as entry_balance,
    cast(coalesce(entries.held, 0) as bigint) as entry_held,
    cast(coalesce(entries.of_requests, 0) as bigint) as of_requests,
    cast(coalesce(entries.cancelling, 0) as bigint) as cancelling,
    coalesce(entries.low, 0) % ${modulus} as low, coalesce(entries.high, 0) % ${modulus} as high,
    cast(coalesce((select sum(amount_microusd) from leases where leases.account_id = accounts.id), 0) as bigint) as lease_sum
  from accounts full join (
    select account_id, count(*) as number, count(request_id) as of_requests,
      sum(case when ${mayCancelOut} then 1 else 0 end) as cancelling,
      sum(case when kind in ('hold', 'release') then 0 else amount_microusd end) as balance,
      -sum(case when kind in ('hold', 'release') then amount_microusd else 0 end) as held,
      ${low} as low, ${high} as high
    from ledger_entries group by account_id
  ) as entries on entries.account_id = accounts.id`;
}

interface AccountFactsRow {
  readonly id: string | null;
  readonly entry_account: string | null;
  readonly mode: string | null;
  readonly balance: number;
  readonly held: number;
  readonly leased: number;
  readonly entries: number;
  readonly entry_balance: number;
  readonly entry_held: number;
  readonly of_requests: number;
  readonly cancelling: number;
  readonly low: number;
  readonly high: number;
  readonly lease_sum: number;
}

function rowToAccountFacts(row: AccountFactsRow): AccountFacts {
  return {
    id: row.id,
    mode: row.mode,
    balance: row.balance,
    held: row.held,
    leased: row.leased,
    entries: row.entries,
    entryAccount: row.entry_account,
    entryBalance: row.entry_balance,
    entryHeld: row.entry_held,
    leaseSum: row.lease_sum,
  };
}

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

/** Keys and leases of accounts that are not there. */
const orphansQuery: AuditQuery<OrphanRow> = `select 'key' as kind, keys.id, account_id from keys
    left join accounts on accounts.id = keys.account_id where accounts.id is null
  union all select 'lease', leases.id, account_id from leases
    left join accounts on accounts.id = leases.account_id where accounts.id is null`;

interface OrphanRow {
  readonly kind: string;
  readonly id: string;
  readonly account_id: string;
}

/** Every counter of a budget beside what the records and its holds come to. */
const countersQuery = (kind: StorageKind): AuditQuery<CounterFactsRow> => `select
    coalesce(counters.budget_id, counted.budget_id) as budget_id, coalesce(counters.subject, counted.subject) as subject,
    coalesce(counters.starts_at, counted.starts_at) as starts_at,
    coalesce(spent_microusd, 0) as spent, coalesce(held_microusd, 0) as held,
    coalesce(counted.spent, 0) as record_spent,
    cast(coalesce((select sum(amount_microusd) from budget_holds where budget_holds.budget_id = counters.budget_id
      and budget_holds.starts_at = counters.starts_at and budget_holds.subject = counters.subject), 0) as bigint) as hold_sum
  from budget_counters as counters full join (${recountAll(kind)}) as counted
    on counted.budget_id = counters.budget_id and counted.starts_at = counters.starts_at
      and counted.subject = counters.subject`;

interface CounterFactsRow {
  readonly budget_id: string;
  readonly subject: string;
  readonly starts_at: number;
  readonly spent: number;
  readonly held: number;
  readonly record_spent: number;
  readonly hold_sum: number;
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
      const { usage, lineItems, provider } = billIn(row.body);
      findings.push(...recordFindings({ id, amount, held, lineItems, tokens, usage }));
      if (row.entry_hash === undefined) {
        const sums = readEntrySums(row.entries ?? null);
        compareEntries({ id, status, amount, held, ...sums }, sums.entries);
      } else {
        dueEntries.addRecord({ status, amount, held }, row.entry_hash);
      }
      rollups.add(row, { provider, dimensions: usage.dimensions });
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
  onFinding: (finding: Finding) => void,
): Promise<AuditCounts> {
  const salt = newRollupSalt();
  const rollups = createRollupAudit(kind, salt);
  const dueEntries = new EntryChecksums(salt);
  const keptEntries = new EntryChecksums(salt);
  let entries = 0;
  let records = 0;
  /** Entries of requests that no record was found for. */
  let unmatched = 0;
  /** Entries that checksums may not show. */
  let cancelling = 0;
  const look = (result: AuditPartResult): void => {
    records += result.records;
    unmatched -= result.entries;
    dueEntries.add(result.dueEntries);
    rollups.merge(result.totals);
    result.findings.forEach(onFinding);
  };
  // The sums of a kind may take longer than any range: begun last, they would keep one thread busy alone.
  const parts = doParts([...allRollupKinds, ...ranges], salt, look);
  const [accounts] = await Promise.all([auditAccounts(), parts]);
  const agree = kind === "postgres" && !keptEntries.differFrom(dueEntries.totals);
  if (kind === "postgres" && !agree) {
    const joined = ranges.map((range) => ({ entriesOf: range }));
    await doParts(joined, salt, look);
  }
  if (agree ? cancelling > 0 : unmatched !== 0) {
    await readEach(missingRecordsQuery(agree ? mayCancelOut : "true"), ({ id, request_id }) => {
      onFinding({ kind: "missing_record", subject: id, message: `its account has no record of ${request_id}` });
    });
  }
  await rollups.compare(readEach, onFinding);
  return { accounts, entries, records };

  /** Checks what is not done in parts. */
  async function auditAccounts(): Promise<number> {
    const count = await readEach(accountsQuery(kind, salt), (row) => {
      entries += row.entries;
      unmatched += row.of_requests;
      cancelling += row.cancelling;
      keptEntries.add([row.low, row.high]);
      accountFindings(rowToAccountFacts(row)).forEach(onFinding);
    });
    await readEach(orphansQuery, ({ kind, id, account_id: account }) => {
      const message = `this ${kind} is of the account '${account}', which does not exist`;
      onFinding({ kind: "unknown_account", subject: id, message });
    });
    await readEach(countersQuery(kind), (row) => {
      budgetFindings({
        budget: row.budget_id,
        subject: row.subject,
        spent: row.spent,
        held: row.held,
        recordSpent: row.record_spent,
        holdSum: row.hold_sum,
      }).forEach(onFinding);
    });
    return count;
  }
}
