import type { Kysely } from "kysely";
import type { BodyLogPolicy } from "../../bodies/body-log-policy.ts";
import { policyView } from "../../bodies/policy-view.ts";
import { type BodyStore, keptSince } from "../../bodies/body-store.ts";
import type { KeptBody } from "../../bodies/kept-body.ts";
import { requestIdAt, timeOfRequestId } from "../../identifiers.ts";
import { nextTurn } from "../../next-turn.ts";
import type { Tables } from "../schema.ts";
import type { WriteChange } from "./change-queries.ts";

/** Bodies that are deleted at once: they are long. */
const batchSize = 20;

/** The bodies of requests, alike on every database. */
export function createBodyStore(db: Kysely<Tables>, write: WriteChange): BodyStore {
  const findPolicy: BodyStore["findPolicy"] = async (accountId) => {
    const row = await db
      .selectFrom("body_log_policies")
      .select("policy")
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return row === undefined ? null : toPolicy(row.policy);
  };
  const policies: BodyStore["policies"] = async () => {
    const rows = await db.selectFrom("body_log_policies").selectAll().execute();
    return new Map(rows.map(({ account_id, policy }) => [account_id, toPolicy(policy)]));
  };
  const usage: BodyStore["usage"] = async (accountId) => {
    const row = await db
      .selectFrom("body_log_usage")
      .select(["bytes", "requests"])
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return row ?? { bytes: 0, requests: 0 };
  };

  /**
   * Deletes some of the oldest bodies of an account, those before an id if one is given. Each call has a turn of the event loop,
   * which SQLite would hold. Returns the number deleted.
   */
  async function deleteOldest(accountId: string, limit: number, before: string | null): Promise<number> {
    await nextTurn();
    let oldest = db.selectFrom("request_bodies").select("id").where("account_id", "=", accountId);
    if (before !== null) oldest = oldest.where("id", "<", before);
    const { numDeletedRows } = await db
      .deleteFrom("request_bodies")
      .where("id", "in", oldest.orderBy("id").limit(limit))
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  return {
    policies,
    findPolicy,
    async setPolicy(accountId, policy, by, action) {
      const before = await findPolicy(accountId);
      const text = JSON.stringify(policy);
      const statement = db
        .insertInto("body_log_policies")
        .values({ account_id: accountId, policy: text })
        .onConflict((conflict) => conflict.column("account_id").doUpdateSet({ policy: text }));
      const states = {
        before: before && { log_bodies: policyView(before) },
        after: { log_bodies: policyView(policy) },
      };
      await write(statement.compile(), { by, kind: "account", id: accountId, action, ...states });
    },
    async keep({ id, accountId, request, answer }, maxBytes) {
      const texts = { request: JSON.stringify(request), answer: JSON.stringify(answer) };
      const bytes = Buffer.byteLength(texts.request) + Buffer.byteLength(texts.answer);
      await db
        .insertInto("request_bodies")
        .values({ id, account_id: accountId, bytes, ...texts })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
      while ((await usage(accountId)).bytes > maxBytes && (await deleteOldest(accountId, batchSize, null)) > 0);
    },
    async find(id, now) {
      const row = await db.selectFrom("request_bodies").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return null;
      const policy = await findPolicy(row.account_id);
      if (policy !== null && timeOfRequestId(id) < keptSince(policy, now)) return null;
      return { id, accountId: row.account_id, request: toBody(row.request), answer: toBody(row.answer) };
    },
    async remove(id, by) {
      const row = await db.selectFrom("request_bodies").select("account_id").where("id", "=", id).executeTakeFirst();
      if (row === undefined) return false;
      const statement = db.deleteFrom("request_bodies").where("id", "=", id).compile();
      const change = { kind: "account", id: row.account_id, action: "delete_bodies" } as const;
      return write(statement, { by, ...change, before: { request: id }, after: null });
    },
    usage,
    async deleteExpired(now, limit) {
      let deleted = 0;
      for (const [accountId, policy] of await policies()) {
        const before = requestIdAt(keptSince(policy, now));
        for (let count = 1; count > 0 && deleted < limit; deleted += count) {
          count = await deleteOldest(accountId, Math.min(batchSize, limit - deleted), before);
        }
      }
      return deleted;
    },
  };
}

// Only this file writes the columns.

function toPolicy(text: string): BodyLogPolicy {
  return JSON.parse(text) as BodyLogPolicy;
}

function toBody(text: string): KeptBody {
  return JSON.parse(text) as KeptBody;
}
