import {
  type AccountFacts,
  accountFindings,
  type AuditCounts,
  budgetFindings,
  type Finding,
  type RecordFacts,
  recordFindings,
} from "../../billing/audit.ts";
import { expandRecord } from "../../records/compact-record.ts";
import { recountAll } from "./budget-sql.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { AuditQuery, ReadEach } from "./read-each.ts";
import { rowToCompact } from "../record-row.ts";
import type { RequestRow } from "../schema.ts";
import { auditRollups } from "../usage/audit-rollups.ts";

/** Every account with what its entries and leases come to, and what entries name without being there. */
const accountsQuery: AuditQuery<AccountFactsRow> = `select accounts.id, entries.account_id as entry_account, mode,
    coalesce(balance_microusd, 0) as balance, coalesce(accounts.held_microusd, 0) as held,
    coalesce(leased_microusd, 0) as leased, cast(coalesce(entries.number, 0) as bigint) as entries,
    cast(coalesce(entries.balance, 0) as bigint) as entry_balance,
    cast(coalesce(entries.held, 0) as bigint) as entry_held,
    cast(coalesce((select sum(amount_microusd) from leases where leases.account_id = accounts.id), 0) as bigint) as lease_sum
  from accounts full join (
    select account_id, count(*) as number,
      sum(case when kind in ('hold', 'release') then 0 else amount_microusd end) as balance,
      -sum(case when kind in ('hold', 'release') then amount_microusd else 0 end) as held
    from ledger_entries group by account_id
  ) as entries on entries.account_id = accounts.id`;

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
  readonly lease_sum: number;
}

function rowToAccountFacts(row: AccountFactsRow): AccountFacts {
  const { entry_account, entry_balance, entry_held, lease_sum, ...rest } = row;
  return {
    ...rest,
    entryAccount: entry_account,
    entryBalance: entry_balance,
    entryHeld: entry_held,
    leaseSum: lease_sum,
  };
}

/** Joins one entry of a record by its id, which follows from that of the record. */
const entryOf = (name: string, place: number) => `left join ledger_entries as ${name}
    on ${name}.account_id = requests.account_id and ${name}.id = 'ent_' || substr(requests.id, 5) || '_${place}'`;

/** Every record with the sums of its entries. */
const recordsQuery: AuditQuery<RecordFactsRow> = `select requests.*, coalesce(charge.amount_microusd, 0) as charged,
    coalesce(hold.amount_microusd, 0) + coalesce(release.amount_microusd, 0) as entry_held
  from requests ${entryOf("hold", 1)} ${entryOf("charge", 2)} ${entryOf("release", 3)}`;

type RecordFactsRow = RequestRow & { readonly charged: number; readonly entry_held: number };

function rowToRecordFacts(row: RecordFactsRow): RecordFacts {
  const { billing, usage } = expandRecord(rowToCompact(row));
  return {
    id: row.id,
    status: row.status,
    amount: row.amount_microusd,
    held: row.held_microusd,
    lineItems: billing.lineItems,
    tokens: row.input_tokens + row.output_tokens,
    usage,
    charged: row.charged,
    entryHeld: row.entry_held,
  };
}

/** Entries of requests that have no record. */
const missingRecordsQuery: AuditQuery<MissingRecordRow> = `select ledger_entries.id, request_id from ledger_entries
  left join requests on requests.id = ledger_entries.request_id
  where request_id is not null and requests.id is null`;

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

/** Audits the book that `readEach` reads at one moment. */
export async function auditBook(
  kind: StorageKind,
  readEach: ReadEach,
  onFinding: (finding: Finding) => void,
): Promise<AuditCounts> {
  let entries = 0;
  const accounts = await readEach(accountsQuery, (row) => {
    entries += row.entries;
    accountFindings(rowToAccountFacts(row)).forEach(onFinding);
  });
  const records = await readEach(recordsQuery, (row) => {
    recordFindings(rowToRecordFacts(row)).forEach(onFinding);
  });
  await readEach(missingRecordsQuery, ({ id, request_id }) => {
    onFinding({ kind: "missing_record", subject: id, message: `its request ${request_id} has no record` });
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
  await auditRollups(kind, readEach, onFinding);
  return { accounts, entries, records };
}
