import type { Database, SQLQueryBindings } from "bun:sqlite";
import {
  grant,
  type Granted,
  type LeaseRequest,
  type LeaseState,
  type LeaseStore,
  type OtherLease,
} from "../../billing/holds/lease-store.ts";
import { freeOf } from "../ledger-row.ts";
import type { AccountRow } from "../schema.ts";

/** Leases on SQLite. Each change is one synchronous transaction. */
export function createSqliteLeaseStore(database: Database): LeaseStore {
  const findAccount = database.prepare<AccountRow, [string]>(
    "select * from accounts where id = ? and mode = 'prepaid'",
  );
  const othersOf = database.prepare<OtherLease, [string, string]>(
    `select amount_microusd as amountMicrousd, held_microusd as heldMicrousd, reported_at as reportedAt
      from leases where account_id = ? and id <> ? and amount_microusd > 0`,
  );
  const addToLease = database.prepare<unknown, [string, string, number, number]>(
    `insert into leases (id, account_id, amount_microusd, held_microusd, reported_at, expires_at) values (?, ?, ?, 0, 0, ?)
      on conflict (id) do update set amount_microusd = amount_microusd + excluded.amount_microusd,
        expires_at = excluded.expires_at`,
  );
  const changeLeased = database.prepare<unknown, [number, string]>(
    "update accounts set leased_microusd = leased_microusd + ? where id = ?",
  );
  const recall = database.prepare<unknown, [number, string]>("update accounts set recalled_until = ? where id = ?");
  const reduce = database.prepare<{ account_id: string }, [number, number, number, string, number]>(
    `update leases set amount_microusd = amount_microusd - ?, held_microusd = ?, reported_at = ?
      where id = ? and amount_microusd >= ? returning account_id`,
  );
  const remove = database.prepare<{ account_id: string; amount_microusd: number }, [string, number]>(
    "delete from leases where id = ? and expires_at <= ? returning account_id, amount_microusd",
  );
  const renewOne = database.prepare<{ id: string }, [number, number, number, string]>(
    "update leases set held_microusd = ?, reported_at = ?, expires_at = ? where id = ? returning id",
  );
  const findExpired = database.prepare<{ id: string }, [number]>("select id from leases where expires_at <= ?");

  const take = database.transaction((request: LeaseRequest): Granted | null => {
    const { leaseId, accountId, neededMicrousd } = request;
    const account = findAccount.get(accountId);
    if (account === null) return null;
    const free = freeOf(account);
    const grantedMicrousd = grant(free, request, account.recalled_until > request.now);
    if (grantedMicrousd > 0) {
      addToLease.run(leaseId, accountId, grantedMicrousd, request.expiresAt);
      changeLeased.run(grantedMicrousd, accountId);
    }
    const elsewhere = othersOf.all(accountId, leaseId);
    if (grantedMicrousd < neededMicrousd && elsewhere.length > 0) recall.run(request.recallUntil, accountId);
    return { grantedMicrousd, freeMicrousd: free - grantedMicrousd, elsewhere };
  });

  const endAll = database.transaction((ids: readonly string[], expiredAt: number) => {
    for (const id of ids) {
      const ended = remove.get(id, expiredAt);
      if (ended !== null) changeLeased.run(-ended.amount_microusd, ended.account_id);
    }
  });

  const renewAll = database.transaction((...[leases, { now, expiresAt }]: Parameters<LeaseStore["renew"]>) =>
    leases.flatMap(({ id, heldMicrousd }) => renewOne.get(heldMicrousd, now, expiresAt, id)?.id ?? []),
  );

  const giveBack = database.transaction(({ id, heldMicrousd }: LeaseState, amount: number, now: number) => {
    const reduced = reduce.get(amount, heldMicrousd, now, id, amount);
    if (reduced !== null) changeLeased.run(-amount, reduced.account_id);
  });

  return {
    take: async (request) => take.immediate(request),
    renew: async (leases, times) => (leases.length === 0 ? [] : renewAll.immediate(leases, times)),
    async recalled(ids, now) {
      if (ids.length === 0) return [];
      const recalled = database.query<{ id: string }, SQLQueryBindings[]>(
        `select leases.id from leases join accounts on accounts.id = leases.account_id
          where recalled_until > ? and leases.id in (${ids.map(() => "?").join(", ")})`,
      );
      return recalled.all(now, ...ids).map(({ id }) => id);
    },
    giveBack: async (lease, amount, now) => giveBack.immediate(lease, amount, now),
    end: async (ids) => endAll.immediate(ids, Number.MAX_SAFE_INTEGER),
    expired: async (now) => findExpired.all(now).map(({ id }) => id),
    endExpired: async (ids, now) => endAll.immediate(ids, now),
  };
}
