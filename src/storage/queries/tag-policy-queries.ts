import type { Kysely } from "kysely";
import type { TagPolicyStore } from "../../attribution/tag-policies.ts";
import type { TagPolicy } from "../../attribution/tag-policy.ts";
import type { WriteChange } from "./change-queries.ts";
import type { Tables } from "../schema.ts";

/** The tag policies of accounts, alike on every database. */
export function createTagPolicyStore(db: Kysely<Tables>, write: WriteChange): TagPolicyStore {
  const find: TagPolicyStore["find"] = async (accountId) => {
    const row = await db
      .selectFrom("tag_policies")
      .select("policy")
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return row === undefined ? null : toPolicy(row.policy);
  };
  return {
    find,
    async all() {
      const rows = await db.selectFrom("tag_policies").selectAll().execute();
      return new Map(rows.map(({ account_id, policy }) => [account_id, toPolicy(policy)]));
    },
    async set(accountId, policy, by) {
      const before = await find(accountId);
      const text = JSON.stringify(policy);
      const statement =
        policy === null
          ? db.deleteFrom("tag_policies").where("account_id", "=", accountId)
          : db
              .insertInto("tag_policies")
              .values({ account_id: accountId, policy: text })
              .onConflict((conflict) => conflict.column("account_id").doUpdateSet({ policy: text }));
      const states = { before: before && { tags: before }, after: policy && { tags: policy } };
      await write(statement.compile(), { by, kind: "account", id: accountId, action: "tags", ...states });
    },
  };
}

/** Only `set` writes the column. */
function toPolicy(text: string): TagPolicy {
  return JSON.parse(text) as TagPolicy;
}
