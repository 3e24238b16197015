import { type Kysely, sql } from "kysely";
import { entriesOf, rowIdOf } from "../../billing/accounts/ledger.ts";
import { accountFields } from "../../billing/accounts/account-view.ts";
import type { AccountStore } from "../../billing/accounts/account-store.ts";
import type { WriteChange } from "./change-queries.ts";
import { accountToRow, rowToAccount, rowToBalance, rowToLedger } from "../ledger-row.ts";
import type { AccountRow, Tables } from "../schema.ts";

type Reported = AccountRow & { readonly reported: number };

/** What a store of accounts does in one statement, alike on every database. */
export function createAccountQueries(db: Kysely<Tables>, write: WriteChange): Omit<AccountStore, "post"> {
  const balances = (leasesApart: readonly string[] = []) => {
    const apart = leasesApart.length === 0 ? sql`` : sql`and leases.id not in (${sql.join(leasesApart)})`;
    // A lease that has lost a part to a charge may have reported more than it still has.
    const reported = sql<number>`(select cast(coalesce(sum(case when held_microusd < amount_microusd then held_microusd
      else amount_microusd end), 0) as bigint) from leases where leases.account_id = accounts.id ${apart})`;
    return db.selectFrom("accounts").selectAll().select(reported.as("reported"));
  };
  const toBalance = (row: Reported) => rowToBalance(row, row.reported);

  return {
    async create(account, by) {
      const statement = db
        .insertInto("accounts")
        .values(accountToRow(account))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .compile();
      const after = accountFields(account);
      return write(statement, { by, kind: "account", id: account.id, action: "create", before: null, after });
    },
    async find(id) {
      const row = await db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : rowToAccount(row);
    },
    async list(page) {
      let query = balances().orderBy("id");
      if (page) query = query.limit(page.limit);
      if (page?.after !== undefined && page.after !== null) query = query.where("id", ">", page.after);
      const rows = await query.execute();
      return rows.map((row) => ({ account: rowToAccount(row), ...toBalance(row) }));
    },
    async balance(id, leasesApart) {
      const row = await balances(leasesApart).where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toBalance(row);
    },
    async entries(accountId, { limit, after }) {
      let query = db.selectFrom("ledger_entries").selectAll().where("account_id", "=", accountId);
      if (after !== null) query = query.where("id", "<=", rowIdOf(after));
      // Up to two rows of the request of the last entry seen come again.
      const rows = await query
        .orderBy("id", "desc")
        .limit(limit + 2)
        .execute();
      const entries = rows.flatMap((row) => entriesOf(rowToLedger(row)));
      return entries.filter(({ id }) => after === null || id < after).slice(0, limit);
    },
  };
}
