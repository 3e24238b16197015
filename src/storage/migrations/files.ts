import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Files, and the blobs that hold their bytes. */
export async function createFileTables(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  // Ids sort by time byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("files")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("filename", "text", (column) => column.notNull())
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("content_type", "text", (column) => column.notNull())
    .addColumn("blob_key", "text", (column) => column.notNull())
    .execute();
  await sql`create index files_by_account on files (account_id, id)`.execute(db);
  await sql`create index files_by_blob on files (blob_key)`.execute(db);
  await sql`create index files_by_end on files (expires_at) where expires_at is not null`.execute(db);
  await db.schema
    .createTable("blobs")
    .addColumn("key", "text", (column) => column.notNull().primaryKey())
    .addColumn("sha256", "text", (column) => column.unique())
    .addColumn("claimed_until", "bigint", (column) => column.notNull())
    .execute();
}

/** What the files of an account are together is read from this alone. */
export async function indexFileSizes(db: Kysely<Tables>): Promise<void> {
  await sql`create index files_by_size on files (account_id, expires_at, bytes)`.execute(db);
}
