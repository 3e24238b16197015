import type { Kysely } from "kysely";
import type { PriceListStore } from "../billing/price-list-store.ts";
import type { PriceList } from "../billing/prices.ts";
import type { Clock } from "../clock.ts";
import type { PriceListRow, Tables } from "./schema.ts";

/** Price lists, alike on every database. */
export function createPriceListStore(db: Kysely<Tables>, clock: Clock): PriceListStore {
  return {
    async latest() {
      const query = db.selectFrom("price_lists").selectAll().orderBy("version", "desc").limit(1);
      return rowToList(await query.executeTakeFirst());
    },
    async find(version) {
      return rowToList(
        await db.selectFrom("price_lists").selectAll().where("version", "=", version).executeTakeFirst(),
      );
    },
    async insert(list) {
      const result = await db
        .insertInto("price_lists")
        .values({ version: list.version, body: JSON.stringify(list.models), created_at: clock.now() })
        .onConflict((conflict) => conflict.column("version").doNothing())
        .executeTakeFirst();
      return result.numInsertedOrUpdatedRows === 1n;
    },
  };
}

function rowToList(row: PriceListRow | undefined): PriceList | null {
  if (row === undefined) return null;
  // Only `insert` above writes this column.
  return { version: row.version, models: JSON.parse(row.body) as PriceList["models"] };
}
