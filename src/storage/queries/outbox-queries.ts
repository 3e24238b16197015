import { type Kysely, sql } from "kysely";
import type { ListedEvent, Outbox, OutboxEvent } from "../../webhooks/outbox.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { OutboxRow, Tables } from "../schema.ts";

/** The outbox on any database. */
export function createOutbox(db: Kysely<Tables>, kind: StorageKind): Outbox {
  function due(now: number, limit: number, exceptAccounts: readonly string[]) {
    const all = db.selectFrom("outbox").select("id").where("next_attempt_at", "<=", now);
    const some = exceptAccounts.length === 0 ? all : all.where("account_id", "not in", exceptAccounts);
    return some.orderBy("next_attempt_at").limit(limit);
  }

  return {
    async claim(now, leaseMs, limit, exceptAccounts = []) {
      // Asked first, so that an empty outbox is read and not written every time.
      if ((await due(now, 1, exceptAccounts).executeTakeFirst()) === undefined) return [];
      const free = due(now, limit, exceptAccounts);
      const taken = kind === "postgres" ? free.modifyEnd(sql`for update skip locked`) : free;
      const rows = await db
        .updateTable("outbox")
        .set({ next_attempt_at: now + leaseMs })
        .where("id", "in", taken)
        .returningAll()
        .execute();
      return rows.sort((a, b) => a.created_at - b.created_at).map(rowToEvent);
    },
    async change(id, { attempts, deliveredTo, nextAttemptAt, deliveredAt }) {
      const columns = {
        attempts,
        delivered_to: JSON.stringify(deliveredTo),
        next_attempt_at: nextAttemptAt,
        delivered_at: deliveredAt,
      };
      // What another process has delivered meanwhile stays so.
      await db.updateTable("outbox").set(columns).where("id", "=", id).where("delivered_at", "is", null).execute();
    },
    async list({ after, limit, undelivered }) {
      let query = db.selectFrom("outbox").selectAll();
      if (undelivered) query = query.where("delivered_at", "is", null);
      if (after !== null) {
        const { rows } = await sql<{ created_at: number }>`select created_at from outbox where id = ${after}`.execute(
          db,
        );
        const last = rows[0]?.created_at ?? 0;
        query = query.where(sql<boolean>`(created_at < ${last} or (created_at = ${last} and id < ${after}))`);
      }
      const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
      return rows.map(rowToListed);
    },
    async replay(id, now) {
      const fresh = { attempts: 0, delivered_to: "[]", delivered_at: null, next_attempt_at: now };
      const row = await db.updateTable("outbox").set(fresh).where("id", "=", id).returningAll().executeTakeFirst();
      return row === undefined ? null : rowToListed(row);
    },
    async deleteExpired(aliveSince, limit) {
      const expired = db.selectFrom("outbox").select("id").where("created_at", "<", aliveSince).limit(limit);
      const result = await db.deleteFrom("outbox").where("id", "in", expired).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

function rowToListed(row: OutboxRow): ListedEvent {
  return { ...rowToEvent(row), nextAttemptAt: row.next_attempt_at, deliveredAt: row.delivered_at };
}

function rowToEvent(row: OutboxRow): OutboxEvent {
  return {
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    payload: row.payload,
    createdAt: row.created_at,
    attempts: row.attempts,
    // `change` wrote it.
    deliveredTo: JSON.parse(row.delivered_to) as string[],
  };
}
