import type { PriceBook } from "../prices/price-book.ts";
import { type PriceLayer, targetSeparator } from "../prices/price-table.ts";
import { usdDocument } from "../prices/usd-document.ts";

const exported = ["configured", "imported"] as const satisfies readonly PriceLayer[];

/** The prices of a version as a configuration writes them. The bundled ones are only named. */
export function priceExport(book: PriceBook) {
  const layers = exported.map((layer) => {
    const table = book.tables[layer];
    const models = Object.entries(table?.models ?? {}).map(([key, { cost, ...prices }]) => ({
      ...nameOf(key),
      prices: usdDocument(prices),
      ...(cost && { cost }),
    }));
    return { layer, source: table?.source ?? null, date: table?.date ?? null, models };
  });
  const bundled = book.tables.bundled?.source ?? null;
  return { object: "price_list.export", version: book.version, layers, bundled };
}

/** The model of a key, and the target if the prices are those of one. */
function nameOf(key: string): { readonly id: string; readonly target?: string } {
  const [id = key, target] = key.split(targetSeparator);
  return target === undefined ? { id } : { id, target };
}
