import {
  type AccountFacts,
  accountFindings,
  type AuditCounts,
  budgetFindings,
  type Finding,
  type RecordFacts,
  recordFindings,
} from "../../billing/audit.ts";
import { type Bill, billIn } from "../../records/compact-record.ts";
import { recountAll } from "./budget-sql.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { AuditQuery, ReadEach } from "./read-each.ts";
import type { RequestRow } from "../schema.ts";
import type { RollupKind } from "../../usage/rollup.ts";
import { createRollupAudit, newRollupSalt, type RollupSalt, type RollupTotals } from "../usage/rollup-audit.ts";

/** Every account with what its entries and leases come to, and what entries name without being there. */
const accountsQuery: AuditQuery<AccountFactsRow> = `select accounts.id, entries.account_id as entry_account, mode,
    coalesce(balance_microusd, 0) as balance, coalesce(accounts.held_microusd, 0) as held,
    coalesce(leased_microusd, 0) as leased, cast(coalesce(entries.number, 0) as bigint) as entries,
    cast(coalesce(entries.balance, 0) as bigint) as entry_balance,
    cast(coalesce(entries.held, 0) as bigint) as entry_held,
    cast(coalesce(entries.of_requests, 0) as bigint) as of_requests,
    cast(coalesce((select sum(amount_microusd) from leases where leases.account_id = accounts.id), 0) as bigint) as lease_sum
  from accounts full join (
    select account_id, count(*) as number, count(request_id) as of_requests,
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
  readonly of_requests: number;
  readonly lease_sum: number;
}

function rowToAccountFacts(row: AccountFactsRow): AccountFacts {
  const { entry_account, entry_balance, entry_held, lease_sum, of_requests: _ofRequests, ...rest } = row;
  return {
    ...rest,
    entryAccount: entry_account,
    entryBalance: entry_balance,
    entryHeld: entry_held,
    leaseSum: lease_sum,
  };
}

/** What an audit reads of a record. */
const recordColumns = [
  ...([
    "id",
    "status",
    "amount_microusd",
    "held_microusd",
    "input_tokens",
    "output_tokens",
    "body",
    "account_id",
  ] as const),
  ...(["key_id", "created_at", "model", "endpoint", "tags", "end_user", "session"] as const),
] as const satisfies readonly (keyof RequestRow)[];

/** The sums of charges, and of holds and releases, and their number, as one text. */
const entrySums = `sum(case kind when 'charge' then amount_microusd else 0 end) || ' ' ||
    sum(case when kind in ('hold', 'release') then amount_microusd else 0 end) || ' ' || count(*)`;
/** The ids of a request's entries follow from its own, and lie side by side. */
const entriesOf = (request: string) => `ledger_entries.id > 'ent_' || substr(${request}, 5) || '_'
    and ledger_entries.id < 'ent_' || substr(${request}, 5) || '_~'`;

/** Records of a range, each with its entries. */
function recordsQuery(kind: StorageKind, range: RecordRange): AuditQuery<RecordFactsRow> {
  if (kind === "postgres") return joinedRecordsQuery(range);
  return `select ${recordColumns.join(", ")}, (
      select ${entrySums} from ledger_entries where ledger_entries.account_id = requests.account_id
        and ${entriesOf("requests.id")} and ledger_entries.request_id = requests.id
    ) as entries
    from requests where ${within("sequence", range)}`;
}

/** The same for Postgres, which reads the entries of all in one go in a third of the time that it takes to look for each. */
function joinedRecordsQuery({ from, to }: RecordRange): AuditQuery<RecordFactsRow> {
  const records = within("requests.id", { from, to });
  const entryId = (request: string | null) => (request === null ? null : `'ent_' || substr(${request}, 5)`);
  const entries = within("ledger_entries.id", { from: entryId(from), to: entryId(to) });
  return `select ${recordColumns.map((column) => `requests.${column}`).join(", ")}, entries
    from requests left join (
      select sums.* from (select distinct account_id from requests where ${records}) as owners cross join lateral (
        select account_id, request_id, ${entrySums} as entries from ledger_entries
          where account_id = owners.account_id and ${entries} and ${entriesOf("request_id")}
          group by account_id, request_id
      ) as sums
    ) as sums on sums.account_id = requests.account_id and sums.request_id = requests.id
    where ${records}`;
}

function within(key: string, { from, to }: RecordRange): string {
  const bounds = [from === null ? [] : `${key} >= ${from}`, to === null ? [] : `${key} < ${to}`].flat();
  return bounds.length === 0 ? "true" : bounds.join(" and ");
}

type RecordFactsRow = Pick<RequestRow, (typeof recordColumns)[number]> & { readonly entries: string | null };

function recordFactsOf(row: RecordFactsRow, { usage, lineItems }: Bill): RecordFacts & { readonly entries: number } {
  const [charged = 0, entryHeld = 0, entries = 0] = row.entries?.split(" ").map(Number) ?? [];
  return {
    id: row.id,
    status: row.status,
    amount: row.amount_microusd,
    held: row.held_microusd,
    lineItems,
    tokens: row.input_tokens + row.output_tokens,
    usage,
    charged,
    entryHeld,
    entries,
  };
}

/** Entries of requests of which their account has no record. */
const missingRecordsQuery: AuditQuery<MissingRecordRow> = `select ledger_entries.id, request_id from ledger_entries
  left join requests on requests.id = ledger_entries.request_id and requests.account_id = ledger_entries.account_id
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

/** Records from one key up to, but not including, another, as SQL has them; null if nothing bounds them. */
export interface RecordRange {
  readonly from: string | null;
  readonly to: string | null;
}

/** A part of an audit that a thread can do by itself: some of the records, or all sums of a kind. */
export type AuditPart = RecordRange | RollupKind;

/** What a part has found. */
export interface AuditPartResult {
  readonly findings: readonly Finding[];
  readonly records: number;
  /** Entries of these records. */
  readonly entries: number;
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
  const findings: Finding[] = [];
  let entries = 0;
  let records = 0;
  if (typeof part === "string") {
    await rollups.read(part, readEach);
  } else {
    records = await readEach(recordsQuery(kind, part), (row) => {
      const bill = billIn(row.body);
      const facts = recordFactsOf(row, bill);
      entries += facts.entries;
      findings.push(...recordFindings(facts));
      rollups.add(row, { provider: bill.provider, dimensions: bill.usage.dimensions });
    });
  }
  return { findings, records, entries, totals: rollups.totals() };
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
    const ids: AuditQuery<{ readonly id: string }> = `select id from (
        select id, row_number() over (order by id) as place from requests
      ) as placed where place > 1 and place % ${recordsPerPart} = 1 order by id`;
    await readEach(ids, ({ id }) => void starts.push(`'${id.replaceAll("'", "''")}'`));
  }
  return [null, ...starts].map((from, place) => ({ from, to: starts[place] ?? null }));
}

/** More would only cost messages. */
const maxParts = 10_000;

/**
 * Audits the book that `readEach` reads at one moment.
 * @param doParts does all of these parts, with the same salt and at the same moment
 */
export async function auditBook(
  kind: StorageKind,
  readEach: ReadEach,
  doParts: (salt: RollupSalt, look: (result: AuditPartResult) => void) => Promise<void>,
  onFinding: (finding: Finding) => void,
): Promise<AuditCounts> {
  const salt = newRollupSalt();
  const rollups = createRollupAudit(kind, salt);
  let entries = 0;
  let records = 0;
  /** Entries of requests that no record was found for. */
  let unmatched = 0;
  const parts = doParts(salt, (result) => {
    records += result.records;
    unmatched -= result.entries;
    rollups.merge(result.totals);
    result.findings.forEach(onFinding);
  });
  const [accounts] = await Promise.all([auditAccounts(), parts]);
  if (unmatched !== 0) {
    await readEach(missingRecordsQuery, ({ id, request_id }) => {
      onFinding({ kind: "missing_record", subject: id, message: `its account has no record of ${request_id}` });
    });
  }
  await rollups.compare(readEach, onFinding);
  return { accounts, entries, records };

  /** Checks what is not done in parts. */
  async function auditAccounts(): Promise<number> {
    const count = await readEach(accountsQuery, (row) => {
      entries += row.entries;
      unmatched += row.of_requests;
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
