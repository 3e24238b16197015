import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Search backends that are not in the configuration, and the count of their changes. */
export async function createSearchBackends(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  // Ids sort byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("search_backends")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("fields", "text", (column) => column.notNull())
    .addColumn("sealed_api_keys", "text")
    .addColumn("sealed_headers", "text")
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("search_backend_changes")
    .addColumn("changes", "bigint", (column) => column.notNull())
    .execute();
  await db.insertInto("search_backend_changes").values({ changes: 0 }).execute();
  // Triggers, so that a change made by hand reaches the gateways too.
  if (kind === "sqlite") {
    for (const change of ["insert", "update", "delete"]) {
      await sql`create trigger ${sql.raw(`search_backends_${change}`)} after ${sql.raw(change)} on search_backends begin
        update search_backend_changes set changes = changes + 1;
      end`.execute(db);
    }
    return;
  }
  await sql`create function tollgate_search_backend_changed() returns trigger language plpgsql as $body$
    begin
      update search_backend_changes set changes = changes + 1;
      return null;
    end $body$`.execute(db);
  await sql`create trigger search_backends_changed after insert or update or delete on search_backends
    for each row execute function tollgate_search_backend_changed()`.execute(db);
}
