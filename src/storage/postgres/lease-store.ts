import type { Pool } from "pg";
import { grant, type LeaseStore, type OtherLease } from "../../billing/holds/lease-store.ts";
import { freeOf } from "../ledger-row.ts";
import type { AccountRow } from "../schema.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Leases on Postgres. Whatever changes a lease and what is leased of its account locks the account's row first, so that
 * no two processes wait for each other.
 */
export function createPostgresLeaseStore(pool: Pool): LeaseStore {
  return {
    take: (request) =>
      inTransaction(pool, async (client) => {
        const { leaseId, accountId, neededMicrousd } = request;
        const { rows: accounts } = await client.query<AccountRow>({
          name: "lock_account",
          text: "select * from accounts where id = $1 and mode = 'prepaid' for update",
          values: [accountId],
        });
        const [account] = accounts;
        if (account === undefined) return null;
        const free = freeOf(account);
        const grantedMicrousd = grant(free, request, account.recalled_until > request.now);
        if (grantedMicrousd > 0) {
          const values = [leaseId, accountId, grantedMicrousd, request.expiresAt];
          await client.query({ name: "add_to_lease", text: addToLease, values });
        }
        const { rows: elsewhere } = await client.query<OtherLease>({
          name: "other_leases",
          text: otherLeases,
          values: [accountId, leaseId],
        });
        if (grantedMicrousd < neededMicrousd && elsewhere.length > 0) {
          await client.query("update accounts set recalled_until = $1 where id = $2", [request.recallUntil, accountId]);
        }
        return { grantedMicrousd, freeMicrousd: free - grantedMicrousd, elsewhere };
      }),
    async renew(leases, { now, expiresAt }) {
      if (leases.length === 0) return [];
      const given = JSON.stringify(leases.map(({ id, heldMicrousd }) => ({ id, held: heldMicrousd })));
      const { rows } = await pool.query<{ id: string }>(
        `update leases set held_microusd = given.held, expires_at = $2, reported_at = $3
          from json_to_recordset($1::json) as given (id text, held bigint) where leases.id = given.id
          returning leases.id`,
        [given, expiresAt, now],
      );
      return rows.map(({ id }) => id);
    },
    async recalled(ids, now) {
      if (ids.length === 0) return [];
      const { rows } = await pool.query<{ id: string }>({
        name: "recalled_leases",
        text: `select leases.id from leases join accounts on accounts.id = leases.account_id
          where recalled_until > $1 and leases.id = any($2)`,
        values: [now, ids],
      });
      return rows.map(({ id }) => id);
    },
    async giveBack({ id, heldMicrousd }, amount, now) {
      await pool.query(
        `with account as (
            select id from accounts where id = (select account_id from leases where id = $1) for update
          ),
          reduced as (
            update leases set amount_microusd = amount_microusd - $2, held_microusd = $3, reported_at = $4
              from account
              where leases.id = $1 and leases.account_id = account.id and amount_microusd >= $2 returning account_id
          )
          update accounts set leased_microusd = leased_microusd - $2 from reduced where accounts.id = reduced.account_id`,
        [id, amount, heldMicrousd, now],
      );
    },
    end: (ids) => endAll(pool, ids, Number.MAX_SAFE_INTEGER),
    async expired(now) {
      const { rows } = await pool.query<{ id: string }>("select id from leases where expires_at <= $1", [now]);
      return rows.map(({ id }) => id);
    },
    endExpired: (ids, now) => endAll(pool, ids, now),
  };
}

const addToLease = `with added as (
    insert into leases (id, account_id, amount_microusd, held_microusd, reported_at, expires_at)
      values ($1, $2, $3, 0, 0, $4)
      on conflict (id) do update set amount_microusd = leases.amount_microusd + excluded.amount_microusd,
        expires_at = excluded.expires_at
  )
  update accounts set leased_microusd = leased_microusd + $3 where id = $2`;

const otherLeases = `select amount_microusd as "amountMicrousd", held_microusd as "heldMicrousd",
    reported_at as "reportedAt" from leases where account_id = $1 and id <> $2 and amount_microusd > 0`;

async function endAll(pool: Pool, ids: readonly string[], expiredAt: number): Promise<void> {
  if (ids.length === 0) return;
  await pool.query(
    `with locked as (
        select id from accounts where id in (select account_id from leases where id = any($1)) order by id for update
      ),
      ended as (
        delete from leases using locked
          where leases.account_id = locked.id and leases.id = any($1) and expires_at <= $2
          returning account_id, amount_microusd
      )
      update accounts set leased_microusd = leased_microusd - totals.amount
        from (select account_id, sum(amount_microusd) as amount from ended group by account_id) as totals
        where accounts.id = totals.account_id`,
    [ids, expiredAt],
  );
}
