import type { Kysely } from "kysely";
import type { PriceChange, PriceListStore } from "../../billing/price-lists/price-list-store.ts";
import type { PriceTable } from "../../billing/prices/price-table.ts";
import type { Clock } from "../../clock.ts";
import type { WriteChange } from "./change-queries.ts";
import type { PriceChangeRow, Tables } from "../schema.ts";

/** Price lists, alike on every database. */
export function createPriceListStore(db: Kysely<Tables>, clock: Clock, write: WriteChange): PriceListStore {
  return {
    async newestSequence() {
      const query = db.selectFrom("price_changes").select("sequence").orderBy("sequence", "desc").limit(1);
      return (await query.executeTakeFirst())?.sequence ?? 0;
    },
    async changes() {
      const rows = await db.selectFrom("price_changes").selectAll().orderBy("sequence").execute();
      return rows.map(rowToChange);
    },
    async append({ sequence, version, configured, imported, bundled, author, note }, { action, inForce, by }) {
      const row = { sequence, version, configured, imported, bundled, author, note, created_at: clock.now() };
      const statement = db
        .insertInto("price_changes")
        .values(row)
        .onConflict((conflict) => conflict.column("sequence").doNothing())
        .compile();
      const before = inForce === null ? null : { version: inForce };
      const after = { version, author, note };
      return write(statement, { by, kind: "price_list", id: String(version), action, before, after });
    },
    async keepTable(id, table) {
      await db
        .insertInto("price_tables")
        .values({ id, body: JSON.stringify(table), created_at: clock.now() })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    },
    async hasTable(id) {
      return (await db.selectFrom("price_tables").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
    },
    async findTable(id) {
      const row = await db.selectFrom("price_tables").selectAll().where("id", "=", id).executeTakeFirst();
      // Only `keepTable` above and the migration write this column.
      return row ? { table: JSON.parse(row.body) as PriceTable, createdAt: row.created_at } : null;
    },
  };
}

function rowToChange({ created_at: createdAt, ...row }: PriceChangeRow): PriceChange {
  return { ...row, createdAt };
}
