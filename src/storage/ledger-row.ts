import type { Account } from "../billing/accounts/account.ts";
import type { Balance } from "../billing/accounts/account-store.ts";
import type { LedgerEntry, LedgerRow } from "../billing/accounts/ledger.ts";
import type { AccountRow, LedgerEntryRow } from "./schema.ts";

/** A row of the ledger as the database keeps it. */
export function ledgerToRow(entry: LedgerRow): LedgerEntryRow {
  return {
    account_id: entry.accountId,
    id: entry.id,
    kind: entry.kind,
    amount_microusd: entry.amountMicrousd,
    request_id: entry.requestId,
    pricing_version: entry.pricingVersion,
    created_at: entry.createdAt,
    idempotency_key: entry.idempotencyKey,
    note: entry.note,
    held_microusd: entry.heldMicrousd,
  };
}

export function rowToLedger(row: LedgerEntryRow): LedgerRow {
  return {
    id: row.id,
    // `ledgerToRow` wrote it.
    kind: row.kind as LedgerEntry["kind"],
    amountMicrousd: row.amount_microusd,
    accountId: row.account_id,
    requestId: row.request_id,
    pricingVersion: row.pricing_version,
    createdAt: row.created_at,
    idempotencyKey: row.idempotency_key,
    note: row.note,
    heldMicrousd: row.held_microusd,
  };
}

export function rowToAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    mode: row.mode === "prepaid" ? "prepaid" : "unlimited",
    markupBasisPoints: row.markup_basis_points,
    createdAt: row.created_at,
  };
}

/** The row of a credit or debit as its one entry. */
export function rowToEntry(row: LedgerEntryRow): LedgerEntry {
  const { heldMicrousd: _heldMicrousd, ...entry } = rowToLedger(row);
  return entry;
}

/** A new account as its row: with nothing in it. */
export function accountToRow(account: Account): AccountRow {
  return {
    id: account.id,
    name: account.name,
    mode: account.mode,
    markup_basis_points: account.markupBasisPoints,
    created_at: account.createdAt,
    balance_microusd: 0,
    held_microusd: 0,
    leased_microusd: 0,
    recalled_until: 0,
  };
}

type BalanceRow = Pick<AccountRow, "balance_microusd" | "held_microusd" | "leased_microusd">;

/** @param reportedMicrousd what the account's leases hold for requests, as far as it is known */
export function rowToBalance(row: BalanceRow, reportedMicrousd: number): Balance {
  return {
    balanceMicrousd: row.balance_microusd,
    heldMicrousd: row.held_microusd + reportedMicrousd,
    durablyHeldMicrousd: row.held_microusd,
    leasedMicrousd: row.leased_microusd,
  };
}

/** What requests can still be given: neither held by jobs nor on lease. Negative if an unlimited account is in debt. */
export function freeOf(row: BalanceRow): number {
  return row.balance_microusd - row.held_microusd - row.leased_microusd;
}
