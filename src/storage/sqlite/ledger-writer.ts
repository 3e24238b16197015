import type { Database } from "bun:sqlite";
import { chargeForgiven, type LedgerRow, rowsOf, shortfallRow } from "../../billing/accounts/ledger.ts";
import type { CompactRecord } from "../../records/compact-record.ts";
import type { AccountRow, LeaseRow } from "../schema.ts";
import type { StorageLog } from "../storage.ts";

/** Writes the ledger entries of records, and what follows from them, within the transaction at hand. */
export interface LedgerWriter {
  /** Forgets what a transaction that was rolled back has left. */
  begin(): void;
  /** Makes the entries of a record that are not there yet. @param wasPending it takes the place of a pending one */
  book(record: CompactRecord, wasPending: boolean): void;
  /** Changes balances and leases by all that was booked since `begin`. */
  finish(): void;
}

/** What the records of one transaction come to for one account. */
interface Totals {
  charged: number;
  held: number;
  leased: number;
  lastCharged: CompactRecord | null;
}

type InsertParameters = [string, string, string, number, string | null, number | null, number, string | null, number];
type ChangedAccount = Pick<AccountRow, "mode" | "balance_microusd" | "held_microusd" | "leased_microusd">;

export function createLedgerWriter(database: Database, log: StorageLog): LedgerWriter {
  const insert = database.prepare<unknown, InsertParameters>(
    `insert into ledger_entries (account_id, id, kind, amount_microusd, request_id, pricing_version, created_at, note,
        held_microusd)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (account_id, id) do nothing`,
  );
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

  function insertRow(row: LedgerRow): boolean {
    const { accountId, id, kind, amountMicrousd, requestId, pricingVersion, createdAt, note, heldMicrousd } = row;
    // prettier-ignore
    const { changes } = insert.run(
      accountId, id, kind, amountMicrousd, requestId, pricingVersion, createdAt, note, heldMicrousd,
    );
    return changes > 0;
  }

  function totalsOf(accountId: string): Totals {
    let totals = accounts.get(accountId);
    if (totals === undefined) {
      totals = { charged: 0, held: 0, leased: 0, lastCharged: null };
      accounts.set(accountId, totals);
    }
    return totals;
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
    if (!insertRow(shortfallRow(lastCharged, shortfall))) return;
    changeAccount.get(-shortfall, 0, 0, lastCharged.accountId);
    const fields = { account: lastCharged.accountId, request_id: lastCharged.id, amount_microusd: shortfall };
    log.warn(fields, chargeForgiven);
  }

  return {
    begin() {
      accounts.clear();
      spentByLease.clear();
    },
    book(record, wasPending) {
      let spent = 0;
      for (const row of rowsOf(record, wasPending)) {
        if (!insertRow(row)) continue;
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
    },
    finish() {
      for (const [id, spent] of spentByLease) consumeLease(id, spent);
      for (const [id, totals] of accounts) {
        const changed = changeAccount.get(totals.charged, totals.held, totals.leased, id);
        if (changed !== null && totals.charged > 0) forgive(changed, totals);
      }
    },
  };
}
