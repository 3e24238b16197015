import { type Kysely, sql } from "kysely";
import type { JsonObject } from "../../json/values.ts";
import type { CatalogStore, StoredEntry, StoredKind } from "../../routing/stored-catalog/catalog-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { CatalogEntryRow } from "../catalog-row.ts";
import type { Tables } from "../schema.ts";
import type { WriteChange } from "./change-queries.ts";

/** Stored providers and models, counted and changed as stored routes are. */
export function createCatalogStore(db: Kysely<Tables>, kind: StorageKind, write: WriteChange): CatalogStore {
  const held = kind === "postgres" ? sql`for update` : sql``;
  const unchanged = (version: number) =>
    sql`unchanged as (select changes from catalog_entry_changes where changes = ${version} ${held})`;
  return {
    async version() {
      return (await db.selectFrom("catalog_entry_changes").select("changes").executeTakeFirstOrThrow()).changes;
    },
    async list() {
      // Models sort before providers, which they need.
      const rows = await db.selectFrom("catalog_entries").selectAll().orderBy("kind", "desc").orderBy("id").execute();
      return rows.map(rowToEntry);
    },
    async put({ kind: entryKind, id, fields, sealed, updatedAt }, version, change) {
      const statement = sql`with ${unchanged(version)}
        insert into catalog_entries
            (kind, id, fields, sealed_api_keys, sealed_headers, sealed_webhook_secret, updated_at)
          select cast(${entryKind} as text), cast(${id} as text), cast(${JSON.stringify(fields)} as text),
            cast(${sealed.apiKeys} as text), cast(${sealed.headers} as text),
            cast(${sealed.webhookSecret ?? null} as text), cast(${updatedAt} as bigint)
          from unchanged where true
        on conflict (kind, id) do update set fields = excluded.fields, sealed_api_keys = excluded.sealed_api_keys,
          sealed_headers = excluded.sealed_headers, sealed_webhook_secret = excluded.sealed_webhook_secret,
          updated_at = excluded.updated_at`;
      return write(statement.compile(db), change);
    },
    async remove(entryKind, id, version, change) {
      const statement = sql`with ${unchanged(version)}
        delete from catalog_entries where kind = ${entryKind} and id = ${id} and exists (select 1 from unchanged)`;
      return write(statement.compile(db), change);
    },
  };
}

function rowToEntry(row: CatalogEntryRow): StoredEntry {
  return {
    // Only `put` above writes these columns.
    kind: row.kind as StoredKind,
    id: row.id,
    fields: JSON.parse(row.fields) as JsonObject,
    sealed: {
      apiKeys: row.sealed_api_keys,
      headers: row.sealed_headers,
      ...(row.sealed_webhook_secret !== null && { webhookSecret: row.sealed_webhook_secret }),
    },
    updatedAt: row.updated_at,
  };
}
