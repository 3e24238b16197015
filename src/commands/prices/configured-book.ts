import { bundledTable } from "../../billing/prices/bundled/bundled.ts";
import { configuredTable } from "../../billing/price-lists/configured-table.ts";
import { type DatedTable, PriceBook } from "../../billing/prices/price-book.ts";
import type { PriceTable } from "../../billing/prices/price-table.ts";

/** The prices that the configuration leads to before there is a price list: version 0. */
export async function configuredBook(
  models: Parameters<typeof configuredTable>[0],
  isBundled: boolean,
): Promise<PriceBook> {
  return new PriceBook(0, {
    configured: dated(configuredTable(models)),
    imported: null,
    bundled: isBundled ? dated(await bundledTable.load()) : null,
  });
}

function dated(table: PriceTable): DatedTable {
  return { ...table, date: table.date ?? new Date().toISOString().slice(0, 10) };
}
