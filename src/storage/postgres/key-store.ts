import type { Kysely } from "kysely";
import type { KeyStore } from "../../access/key.ts";
import type { WriteChange } from "../queries/change-queries.ts";
import { createKeyCache } from "../key-cache.ts";
import { createKeyQueries } from "../queries/key-queries.ts";
import { rowToKey } from "../key-row.ts";
import type { Tables } from "../schema.ts";
import type { ChangeHandlers, ChangeListener } from "./change-listener.ts";

/**
 * Keys on Postgres. A trigger announces each change at its commit; a cached key is trusted only while the listener hears
 * the announcements. While it does not, every `find` asks the database.
 */
export function createPostgresKeyStore(
  db: Kysely<Tables>,
  write: WriteChange,
  listen: (handlers: ChangeHandlers) => ChangeListener,
): KeyStore & { close(): Promise<void> } {
  const cache = createKeyCache(10_000);
  const queries = createKeyQueries(db, write);
  /** Counts changes heard, so that an answer already under way when one arrives is not cached. */
  let changes = 0;
  const listener = listen({
    onChange(id) {
      changes += 1;
      cache.delete(id);
    },
    onBreak() {
      changes += 1;
      cache.clear();
    },
  });

  async function ask(id: string) {
    const before = changes;
    const row = await db.selectFrom("keys").selectAll().where("id", "=", id).executeTakeFirst();
    if (row === undefined) return null;
    const key = rowToKey(row);
    if (listener.listening && changes === before) cache.set(key);
    return key;
  }

  return {
    find: (id) => (listener.listening ? (cache.get(id) ?? ask(id)) : ask(id)),
    list: queries.list,
    page: queries.page,
    async insert(key, by) {
      await queries.insert(key, by);
    },
    async update(id, decide, by) {
      try {
        return await queries.update(id, decide, by);
      } finally {
        // Our own announcement may come a moment after our own answer.
        changes += 1;
        cache.delete(id);
      }
    },
    close: () => listener.close(),
  };
}
