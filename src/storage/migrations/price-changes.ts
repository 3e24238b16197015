import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/**
 * Price lists become tables and the changes that put them in force. Each list that is there becomes a table of configured
 * prices and a change of the same version.
 */
export async function createPriceChanges(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("price_tables")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("price_changes")
    .addColumn("sequence", "integer", (column) => column.notNull().primaryKey())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("configured", "text")
    .addColumn("imported", "text")
    .addColumn("bundled", "text")
    .addColumn("author", "text", (column) => column.notNull())
    .addColumn("note", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  const { rows } = await sql<OldList>`select version, body, created_at from price_lists order by version`.execute(db);
  for (const { version, body, created_at } of rows) {
    const id = `version-${version}`;
    const table = { source: "configuration", date: null, models: newModels(body), vendors: [] };
    await db
      .insertInto("price_tables")
      .values({ id, body: JSON.stringify(table), created_at })
      .execute();
    const nothing = { imported: null, bundled: null, note: "" };
    await db
      .insertInto("price_changes")
      .values({ ...nothing, sequence: version, version, configured: id, author: "configuration", created_at })
      .execute();
  }
  await db.schema.dropTable("price_lists").execute();
}

interface OldList {
  readonly version: number;
  readonly body: string;
  readonly created_at: number;
}

/** The old body has `{model: {dimension: {unitMicrousd}}}`, the new one `{model: {dimension: unitMicrousd}}`. */
function newModels(body: string): Record<string, Record<string, number>> {
  const models = JSON.parse(body) as Record<string, Record<string, { readonly unitMicrousd: number }>>;
  return Object.fromEntries(
    Object.entries(models).map(([id, prices]) => [
      id,
      Object.fromEntries(Object.entries(prices).map(([dimension, { unitMicrousd }]) => [dimension, unitMicrousd])),
    ]),
  );
}
