import type { Kysely } from "kysely";
import type { Pool, PoolClient } from "pg";
import type { AccountStore, NewEntry, Posted } from "../../billing/accounts/account-store.ts";
import { createAccountQueries } from "../queries/account-queries.ts";
import { rowToBalance, rowToEntry } from "../ledger-row.ts";
import { debitRecallMs, obstacleTo, postedChange } from "../queries/post-entry.ts";
import type { AccountRow, LedgerEntryRow, Tables } from "../schema.ts";
import type { PostgresTrail } from "./trail.ts";
import { inTransaction } from "./transaction.ts";

/** Accounts on Postgres. An entry is made under the lock of its account's row. */
export function createPostgresAccountStore(pool: Pool, db: Kysely<Tables>, trail: PostgresTrail): AccountStore {
  return {
    ...createAccountQueries(db, trail.write),
    post: (entry) => inTransaction(pool, (client) => post(client, entry, trail)),
  };
}

async function post(client: PoolClient, entry: NewEntry, trail: PostgresTrail): Promise<Posted> {
  const { id, accountId, kind, amountMicrousd, createdAt, idempotencyKey, note } = entry;
  const account = await firstRow<AccountRow>(client, "select * from accounts where id = $1 for update", [accountId]);
  if (account === null) return { kind: "unknown_account" };
  const reported = await firstRow<{ held: number }>(
    client,
    "select coalesce(sum(least(held_microusd, amount_microusd)), 0)::bigint as held from leases where account_id = $1",
    [accountId],
  );
  const balance = rowToBalance(account, reported?.held ?? 0);
  const standing = await firstRow<LedgerEntryRow>(
    client,
    "select * from ledger_entries where account_id = $1 and idempotency_key = $2",
    [accountId, idempotencyKey],
  );
  if (standing !== null) {
    const isSame = standing.kind === kind && standing.amount_microusd === amountMicrousd;
    return { kind: isSame ? "repeated" : "conflict", entry: rowToEntry(standing), balance };
  }
  const obstacle = obstacleTo(account, amountMicrousd);
  if (obstacle === "insufficient") {
    await client.query("update accounts set recalled_until = $1 where id = $2", [createdAt + debitRecallMs, accountId]);
  }
  if (obstacle !== null) return { kind: obstacle, balance };
  const made = await firstRow<LedgerEntryRow>(
    client,
    `insert into ledger_entries (account_id, id, kind, amount_microusd, created_at, idempotency_key, note)
      values ($1, $2, $3, $4, $5, $6, $7) returning *`,
    [accountId, id, kind, amountMicrousd, createdAt, idempotencyKey, note],
  );
  if (made === null) throw new Error("Postgres did not return the row that it inserted.");
  await client.query("update accounts set balance_microusd = balance_microusd + $1 where id = $2", [
    amountMicrousd,
    accountId,
  ]);
  const posted = rowToEntry(made);
  await trail.add(client, postedChange(posted, balance, entry.by));
  const balanceMicrousd = balance.balanceMicrousd + amountMicrousd;
  return { kind: "made", entry: posted, balance: { ...balance, balanceMicrousd } };
}

async function firstRow<Row extends object>(client: PoolClient, text: string, values: unknown[]): Promise<Row | null> {
  return (await client.query<Row>(text, values)).rows[0] ?? null;
}
