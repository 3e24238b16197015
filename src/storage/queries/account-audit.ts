import { type AccountFacts, accountFindings, budgetFindings, type Finding } from "../../billing/audit.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { RollupSalt } from "../usage/rollup-audit.ts";
import { modulus } from "../usage/rollup-checksums.ts";
import { recountAll } from "./budget-sql.ts";
import { EntryChecksums, entryChecksumColumns, type EntryTotals, mayCancelOut } from "./entry-audit.ts";
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

/** What an audit of accounts has counted in the ledger. */
interface LedgerCounts {
  readonly accounts: number;
  readonly entries: number;
  /** Entries of requests. */
  readonly ofRequests: number;
  /** Those of them that checksums may not show. */
  readonly cancelling: number;
  /** What entries of requests come to, on Postgres. */
  readonly entryTotals: EntryTotals;
}

/** Checks accounts with their entries and leases, what names accounts, and the counters of budgets. */
export async function auditAccounts(
  kind: StorageKind,
  salt: RollupSalt,
  readEach: ReadEach,
  onFinding: (finding: Finding) => void,
): Promise<LedgerCounts> {
  const checksums = new EntryChecksums(salt);
  let entries = 0;
  let ofRequests = 0;
  let cancelling = 0;
  const accounts = await readEach(accountsQuery(kind, salt), (row) => {
    entries += row.entries;
    ofRequests += row.of_requests;
    cancelling += row.cancelling;
    checksums.add([row.low, row.high]);
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
  return { accounts, entries, ofRequests, cancelling, entryTotals: checksums.totals };
}
