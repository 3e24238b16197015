import { type Kysely, sql } from "kysely";
import type { JsonObject } from "../../json/values.ts";
import type { BackendStore, StoredBackend } from "../../routing/stored-backends/backend-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { SearchBackendRow, Tables } from "../schema.ts";
import type { WriteChange } from "./change-queries.ts";

/** Stored search backends, counted and changed as stored routes are. */
export function createSearchBackendStore(db: Kysely<Tables>, kind: StorageKind, write: WriteChange): BackendStore {
  const held = kind === "postgres" ? sql`for update` : sql``;
  const unchanged = (version: number) =>
    sql`unchanged as (select changes from search_backend_changes where changes = ${version} ${held})`;
  return {
    async version() {
      return (await db.selectFrom("search_backend_changes").select("changes").executeTakeFirstOrThrow()).changes;
    },
    async list() {
      const rows = await db.selectFrom("search_backends").selectAll().orderBy("id").execute();
      return rows.map(rowToBackend);
    },
    async put(backends, version, changes) {
      const rows = backends.map(({ id, fields, sealed, updatedAt }) => {
        return sql`(cast(${id} as text), cast(${JSON.stringify(fields)} as text), cast(${sealed.apiKeys} as text),
          cast(${sealed.headers} as text), cast(${updatedAt} as bigint))`;
      });
      const statement = sql`with ${unchanged(version)},
        given (id, fields, sealed_api_keys, sealed_headers, updated_at) as (values ${sql.join(rows)})
        insert into search_backends (id, fields, sealed_api_keys, sealed_headers, updated_at)
          select given.* from given, unchanged where true
        on conflict (id) do update set fields = excluded.fields, sealed_api_keys = excluded.sealed_api_keys,
          sealed_headers = excluded.sealed_headers, updated_at = excluded.updated_at`;
      return write(statement.compile(db), changes);
    },
    async remove(id, version, change) {
      const statement = sql`with ${unchanged(version)}
        delete from search_backends where id = ${id} and exists (select 1 from unchanged)`;
      return write(statement.compile(db), change);
    },
  };
}

function rowToBackend(row: SearchBackendRow): StoredBackend {
  return {
    id: row.id,
    // Only `put` above writes this column.
    fields: JSON.parse(row.fields) as JsonObject,
    sealed: { apiKeys: row.sealed_api_keys, headers: row.sealed_headers },
    updatedAt: row.updated_at,
  };
}
