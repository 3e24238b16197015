import type { Database } from "bun:sqlite";
import type { Kysely } from "kysely";
import type { AccountStore, NewEntry, Posted } from "../../billing/accounts/account-store.ts";
import { createAccountQueries } from "../queries/account-queries.ts";
import { rowToBalance, rowToEntry } from "../ledger-row.ts";
import { debitRecallMs, obstacleTo, postedChange } from "../queries/post-entry.ts";
import type { SqliteTrail } from "./trail.ts";
import type { AccountRow, LedgerEntryRow, Tables } from "../schema.ts";

type ShownAccount = AccountRow & { readonly reported: number };

/** Accounts on SQLite. An entry is made synchronously: no other statement comes between its own. */
export function createSqliteAccountStore(database: Database, db: Kysely<Tables>, trail: SqliteTrail): AccountStore {
  const findAccount = database.prepare<ShownAccount, [string]>(
    `select accounts.*, (select coalesce(sum(min(held_microusd, amount_microusd)), 0) from leases
      where leases.account_id = accounts.id) as reported from accounts where id = ?`,
  );
  const findEntry = database.prepare<LedgerEntryRow, [string, string]>(
    "select * from ledger_entries where account_id = ? and idempotency_key = ?",
  );
  const insert = database.prepare<
    LedgerEntryRow,
    [string, string, string, number, number, string | null, string | null]
  >(
    `insert into ledger_entries (account_id, id, kind, amount_microusd, created_at, idempotency_key, note)
      values (?, ?, ?, ?, ?, ?, ?) returning *`,
  );
  const change = database.prepare<unknown, [number, string]>(
    "update accounts set balance_microusd = balance_microusd + ? where id = ?",
  );

  const recall = database.prepare<unknown, [number, string]>("update accounts set recalled_until = ? where id = ?");

  const post = database.transaction((entry: NewEntry): Posted => {
    const { id, accountId, kind, amountMicrousd, createdAt, idempotencyKey, note } = entry;
    const account = findAccount.get(accountId);
    if (account === null) return { kind: "unknown_account" };
    const balance = rowToBalance(account, account.reported);
    const standing = idempotencyKey === null ? null : findEntry.get(accountId, idempotencyKey);
    if (standing !== null) {
      const isSame = standing.kind === kind && standing.amount_microusd === amountMicrousd;
      return { kind: isSame ? "repeated" : "conflict", entry: rowToEntry(standing), balance };
    }
    const obstacle = obstacleTo(account, amountMicrousd);
    if (obstacle === "insufficient") recall.run(createdAt + debitRecallMs, accountId);
    if (obstacle !== null) return { kind: obstacle, balance };
    const made = insert.get(accountId, id, kind, amountMicrousd, createdAt, idempotencyKey, note);
    if (made === null) throw new Error("SQLite did not return the row that it inserted.");
    change.run(amountMicrousd, accountId);
    const posted = rowToEntry(made);
    trail.add(postedChange(posted, balance, entry.by));
    const balanceMicrousd = balance.balanceMicrousd + amountMicrousd;
    return { kind: "made", entry: posted, balance: { ...balance, balanceMicrousd } };
  });

  return { ...createAccountQueries(db, trail.write), post: async (entry) => post.immediate(entry) };
}
