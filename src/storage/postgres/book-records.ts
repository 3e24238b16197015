import { forgivenNote, rowsOf } from "../../billing/accounts/ledger.ts";
import { ledgerToRow } from "../ledger-row.ts";
import type { LedgerEntryRow } from "../schema.ts";
import type { PossibleRecord } from "./finish-claims.ts";

const columnTypes = {
  account_id: "text",
  id: "text",
  kind: "text",
  amount_microusd: "bigint",
  request_id: "text",
  pricing_version: "integer",
  created_at: "bigint",
  idempotency_key: "text",
  note: "text",
  held_microusd: "bigint",
} as const satisfies Record<keyof LedgerEntryRow, string>;

const columns = Object.keys(columnTypes);
const typedColumns = Object.entries(columnTypes).map(([column, type]) => `${column} ${type}`);

/**
 * The rows of records, as the parameter `$2` of `bookEntries`. Whether a final record takes the place of a pending one turns
 * out within the statement, so one that held something is in twice: `if_new` says for which case a row is meant.
 */
export function entryRows(records: readonly PossibleRecord[]): object[] {
  return records.flatMap(({ record, ifLost }) => {
    const rows = (wasPending: boolean, ifNew: boolean | null): object[] =>
      rowsOf(record, wasPending).map((row) => ({ ...ledgerToRow(row), if_lost: ifLost, if_new: ifNew }));
    return record.heldMicrousd === 0 ? rows(false, null) : [...rows(false, true), ...rows(true, false)];
  });
}

/** A charge, or a part of one, that was forgiven. */
export interface ForgivenRow {
  readonly account_id: string;
  readonly request_id: string;
  readonly amount_microusd: number;
}

/**
 * The end of the statement that has `written` records, which were `chosen` from those that were given. Makes those of
 * their entries that are not there yet, and changes balances and leases by them. What a prepaid balance does not cover
 * beside what is held and leased is forgiven in the same statement, and returned.
 * Accounts are locked before their leases and in one order, so that two processes never wait for each other. A row that is
 * locked is seen as it is now, not as it was when the statement began.
 */
export const bookEntries = `given_entries as (
    select * from json_to_recordset($2::json) as given (${typedColumns.join(", ")}, if_lost boolean, if_new boolean)
  ),
  entries as (
    insert into ledger_entries (${columns.join(", ")})
      select ${columns.map((column) => `given_entries.${column}`).join(", ")} from given_entries
        join written on written.id = given_entries.request_id
          and given_entries.if_lost is not distinct from written.if_lost
          and (given_entries.if_new is null or given_entries.if_new = written.is_new)
      on conflict (account_id, id) do nothing
      returning account_id, request_id, kind, amount_microusd, pricing_version, created_at
  ),
  totals as (
    select account_id, sum(case kind when 'charge' then -amount_microusd else 0 end) as charged,
      sum(case kind when 'charge' then 0 else -amount_microusd end) as held from entries group by account_id
  ),
  spent as (
    select chosen.lease_id, -sum(entries.amount_microusd) as amount from entries
      join chosen on chosen.id = entries.request_id and chosen.lease_id is not null
      group by chosen.id, chosen.lease_id having sum(entries.amount_microusd) < 0
  ),
  spent_by_lease as (select lease_id, sum(amount) as amount from spent group by lease_id),
  locked as (
    select id, mode, balance_microusd, held_microusd, leased_microusd from accounts
      where id in (select account_id from totals) order by id for update
  ),
  locked_leases as (
    select leases.id, leases.account_id, leases.amount_microusd from leases
      join locked on locked.id = leases.account_id
      where leases.id in (select lease_id from spent_by_lease) for update of leases
  ),
  consumed as (
    select locked_leases.id, account_id, least(amount_microusd, amount) as amount
      from locked_leases join spent_by_lease on spent_by_lease.lease_id = locked_leases.id
  ),
  reduced as (
    update leases set amount_microusd = leases.amount_microusd - consumed.amount
      from consumed where leases.id = consumed.id
  ),
  left_over as (
    select locked.id, mode, charged, balance_microusd - charged as balance, held_microusd + held as held,
      leased_microusd - coalesce((select sum(amount) from consumed where consumed.account_id = locked.id), 0) as leased
      from locked join totals on totals.account_id = locked.id
  ),
  changed as (
    select *, case mode when 'prepaid' then greatest(0, least(charged, held + leased - balance)) else 0 end as forgiven
      from left_over
  ),
  booked as (
    update accounts set balance_microusd = changed.balance + forgiven, held_microusd = changed.held,
        leased_microusd = changed.leased
      from changed where accounts.id = changed.id
  )
  insert into ledger_entries (account_id, id, kind, amount_microusd, request_id, pricing_version, created_at, note)
    select distinct on (changed.id) changed.id, 'ent_' || substr(request_id, 5) || '_4', 'adjustment', forgiven,
      request_id, pricing_version, created_at, '${forgivenNote}'
      from changed join entries on entries.account_id = changed.id and entries.kind = 'charge'
      where forgiven > 0 order by changed.id, request_id desc
    returning account_id, request_id, amount_microusd`;
