import type { PriceDocument } from "../prices/price-document.ts";
import { tableId } from "../prices/price-table.ts";
import { changePrices } from "./change-prices.ts";
import { configurationAuthor, type PriceListStore } from "./price-list-store.ts";

/**
 * Puts the prices of search backends that operators have stored in force, as a part of the configured table. Other
 * prices stay as they are, so that gateways with different configurations do not undo each other's. Several processes
 * may do this at once.
 * @param prices by the names under which the table has them; null for one without a price
 */
export async function publishBackendPrices(
  store: PriceListStore,
  prices: ReadonlyMap<string, PriceDocument | null>,
): Promise<void> {
  await changePrices(store, "configure", { kind: "gateway" }, async (changes) => {
    const inForce = changes.at(-1);
    // As at a start: a version that an operator has put in force stays so until these prices change.
    const last = changes.findLast(({ author }) => author === configurationAuthor);
    const stored = last?.configured ? await store.findTable(last.configured) : null;
    if (!inForce || !last || !stored) return null;
    const models = { ...stored.table.models };
    for (const [name, document] of prices) {
      if (document === null) delete models[name];
      else models[name] = document;
    }
    const table = { ...stored.table, models };
    const id = tableId(table);
    if (id === last.configured) return null;
    await store.keepTable(id, table);
    return {
      version: changes.reduce((highest, { version }) => Math.max(highest, version), 0) + 1,
      configured: id,
      imported: inForce.imported,
      bundled: last.bundled,
      author: configurationAuthor,
      note: "the prices of search backends have changed",
    };
  });
}
