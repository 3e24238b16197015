import type { Database } from "bun:sqlite";
import { chargeForgiven, type LedgerRow, rowsOf, shortfallRow } from "../../billing/accounts/ledger.ts";
import type { CompactRecord } from "../../records/compact-record.ts";
import type { AccountRow, LeaseRow } from "../schema.ts";
import type { StorageLog } from "../storage.ts";
import { createChargeCounter } from "./charge-counter.ts";
import { createEntryInserter } from "./entry-inserter.ts";

/** Writes the ledger entries of records, and what follows from them, within the transaction at hand. */
export interface LedgerWriter {
  /** Forgets what a transaction that was rolled back has left. */
  begin(): void;
  /** Adds a record to those whose entries are made. @param wasPending it takes the place of a pending one */
  book(record: CompactRecord, wasPending: boolean): void;
  /** Makes the entries that are not there yet, and changes balances, leases and the counters of budgets by them. */
  finish(): void;
}

/** What the records of one transaction come to for one account. */
interface Totals {
  charged: number;
  held: number;
  leased: number;
  lastCharged: CompactRecord | null;
}

type ChangedAccount = Pick<AccountRow, "mode" | "balance_microusd" | "held_microusd" | "leased_microusd">;

export function createLedgerWriter(database: Database, log: StorageLog): LedgerWriter {
  const insertNew = createEntryInserter(database);
  const countCharges = createChargeCounter(database);
  const findLease = database.prepare<LeaseRow, [string]>("select * from leases where id = ?");
  const reduceLease = database.prepare<unknown, [number, string]>(
    "update leases set amount_microusd = amount_microusd - ? where id = ?",
  );
  const changeAccount = database.prepare<ChangedAccount, [number, number, number, string]>(
    `update accounts set balance_microusd = balance_microusd - ?, held_microusd = held_microusd + ?,
      leased_microusd = leased_microusd - ? where id = ?
      returning mode, balance_microusd, held_microusd, leased_microusd`,
  );
  const accounts = new Map<string, Totals>();
  const spentByLease = new Map<string, number>();
  /** The rows of each record, and all of them. */
  const booked: { readonly record: CompactRecord; readonly rows: readonly LedgerRow[] }[] = [];
  const allRows: LedgerRow[] = [];

  function totalsOf(accountId: string): Totals {
    let totals = accounts.get(accountId);
    if (totals === undefined) {
      totals = { charged: 0, held: 0, leased: 0, lastCharged: null };
      accounts.set(accountId, totals);
    }
    return totals;
  }

  /** Adds up what a record's new rows come to. */
  function count(record: CompactRecord, rows: readonly LedgerRow[], isNew: (row: LedgerRow) => boolean): void {
    let spent = 0;
    for (const row of rows) {
      if (!isNew(row)) continue;
      const totals = totalsOf(record.accountId);
      spent -= row.amountMicrousd;
      if (row.kind !== "charge") totals.held -= row.amountMicrousd;
      else {
        totals.charged -= row.amountMicrousd;
        totals.lastCharged = record;
      }
    }
    // The end of a job gives back more of its hold than it takes: that was not on lease any more.
    if (record.leaseId === undefined || spent <= 0) return;
    spentByLease.set(record.leaseId, (spentByLease.get(record.leaseId) ?? 0) + spent);
  }

  function consumeLease(id: string, spent: number): void {
    const lease = findLease.get(id);
    if (lease === null) return;
    const consumed = Math.min(lease.amount_microusd, spent);
    reduceLease.run(consumed, id);
    totalsOf(lease.account_id).leased += consumed;
  }

  /** A prepaid balance covers what is held and leased at every commit, whatever charges arrive. */
  function forgive(changed: ChangedAccount, { charged, lastCharged }: Totals): void {
    const { mode, balance_microusd: balance, held_microusd: held, leased_microusd: leased } = changed;
    const shortfall = Math.min(charged, held + leased - balance);
    if (mode !== "prepaid" || lastCharged === null || shortfall <= 0) return;
    if (insertNew([shortfallRow(lastCharged, shortfall)]).length === 0) return;
    changeAccount.get(-shortfall, 0, 0, lastCharged.accountId);
    const fields = { account: lastCharged.accountId, request_id: lastCharged.id, amount_microusd: shortfall };
    log.warn(fields, chargeForgiven);
  }

  return {
    begin() {
      accounts.clear();
      spentByLease.clear();
      booked.length = 0;
      allRows.length = 0;
    },
    book(record, wasPending) {
      const rows = rowsOf(record, wasPending);
      if (rows.length === 0) return;
      booked.push({ record, rows });
      allRows.push(...rows);
    },
    finish() {
      const inserted = insertNew(allRows);
      countCharges(inserted);
      const known = inserted === allRows ? null : new Set(inserted);
      const isNew = (row: LedgerRow) => known === null || known.has(row);
      for (const { record, rows } of booked) count(record, rows, isNew);
      for (const [id, spent] of spentByLease) consumeLease(id, spent);
      for (const [id, totals] of accounts) {
        const changed = changeAccount.get(totals.charged, totals.held, totals.leased, id);
        if (changed !== null && totals.charged > 0) forgive(changed, totals);
      }
    },
  };
}
