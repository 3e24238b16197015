import type { Database } from "bun:sqlite";
import type { Kysely } from "kysely";
import type { KeyStore } from "../../access/key.ts";
import type { WriteChange } from "../queries/change-queries.ts";
import { createKeyCache } from "../key-cache.ts";
import { createKeyQueries } from "../queries/key-queries.ts";
import { rowToKey } from "../key-row.ts";
import type { KeyRow, Tables } from "../schema.ts";

/**
 * Keys on SQLite. `data_version` changes whenever another connection commits to the file, so a cached key is known to be
 * as it stands at the cost of reading one number. That takes file locks, so it is read once in a turn of the event loop,
 * for all requests that came in with it. Our own writes do not change it and clear the cache.
 */
export function createSqliteKeyStore(database: Database, db: Kysely<Tables>, write: WriteChange): KeyStore {
  const cache = createKeyCache(10_000);
  const queries = createKeyQueries(db, write);
  const readVersion = database.prepare<{ data_version: number }, []>("PRAGMA data_version");
  const byId = database.prepare<KeyRow, [string]>(db.selectFrom("keys").selectAll().where("id", "=", "").compile().sql);
  let cachedVersion = -1;
  let lookedThisTurn = false;
  const endTurn = () => {
    lookedThisTurn = false;
  };

  function dropStaleKeys(): void {
    if (lookedThisTurn) return;
    const version = readVersion.get()?.data_version ?? -1;
    if (version !== cachedVersion) {
      cache.clear();
      cachedVersion = version;
    }
    lookedThisTurn = true;
    setImmediate(endTurn);
  }

  return {
    find(id) {
      dropStaleKeys();
      const cached = cache.get(id);
      if (cached !== undefined) return cached;
      const row = byId.get(id);
      if (row === null) return null;
      const key = rowToKey(row);
      cache.set(key);
      return key;
    },
    list: queries.list,
    page: queries.page,
    async insert(key, by) {
      await queries.insert(key, by);
      cache.delete(key.id);
    },
    async update(id, decide, by) {
      try {
        return await queries.update(id, decide, by);
      } finally {
        cache.delete(id);
      }
    },
  };
}
