import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Audits that were begun from the admin API, of which one can run at a time. */
export async function createAudits(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  // Ids sort by time byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("audits")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("started_by", "text", (column) => column.notNull())
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .addColumn("is_cancelled", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("parts_done", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("parts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("counts", "text")
    .addColumn("found", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("findings", "text", (column) => column.notNull().defaultTo("[]"))
    .addColumn("error", "text")
    .execute();
  await sql`create unique index audits_running on audits (status) where status = 'running'`.execute(db);
}
