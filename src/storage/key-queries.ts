import type { Kysely } from "kysely";
import type { ApiKey, KeyStore } from "../access/key.ts";
import { changeToColumns, keyToRow, rowToKey } from "./key-row.ts";
import type { Tables } from "./schema.ts";

/** The queries of a key store that are the same on every database. Each write is one statement. */
export function createKeyQueries(db: Kysely<Tables>): Omit<KeyStore, "find"> {
  return {
    async list() {
      const rows = await db.selectFrom("keys").selectAll().orderBy("created_at").orderBy("id").execute();
      return rows.map(rowToKey);
    },
    async insert(key: ApiKey) {
      await db.insertInto("keys").values(keyToRow(key)).execute();
    },
    async update(id, change) {
      const columns = changeToColumns(change);
      if (Object.keys(columns).length === 0) {
        return (await db.selectFrom("keys").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
      }
      const result = await db.updateTable("keys").set(columns).where("id", "=", id).executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}
