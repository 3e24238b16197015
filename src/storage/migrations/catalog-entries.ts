import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Providers and models that are not in the configuration, and the count of their changes. */
export async function createCatalogEntries(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  // Ids sort byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("catalog_entries")
    .addColumn("kind", idType, (column) => column.notNull())
    .addColumn("id", idType, (column) => column.notNull())
    .addColumn("fields", "text", (column) => column.notNull())
    .addColumn("sealed_api_keys", "text")
    .addColumn("sealed_headers", "text")
    .addColumn("sealed_webhook_secret", "text")
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("catalog_entries_key", ["kind", "id"])
    .execute();
  await db.schema
    .createTable("catalog_entry_changes")
    .addColumn("changes", "bigint", (column) => column.notNull())
    .execute();
  await db.insertInto("catalog_entry_changes").values({ changes: 0 }).execute();
  // Triggers, so that a change made by hand reaches the gateways too.
  if (kind === "sqlite") {
    for (const change of ["insert", "update", "delete"]) {
      await sql`create trigger ${sql.raw(`catalog_entries_${change}`)} after ${sql.raw(change)} on catalog_entries begin
        update catalog_entry_changes set changes = changes + 1;
      end`.execute(db);
    }
    return;
  }
  await sql`create function tollgate_catalog_entry_changed() returns trigger language plpgsql as $body$
    begin
      update catalog_entry_changes set changes = changes + 1;
      return null;
    end $body$`.execute(db);
  await sql`create trigger catalog_entries_changed after insert or update or delete on catalog_entries
    for each row execute function tollgate_catalog_entry_changed()`.execute(db);
}
