import type { PriceLayer } from "../../billing/price-table.ts";
import { usdDocument } from "../../billing/usd-document.ts";
import { withStorage } from "../with-storage.ts";
import type { VersionOptions } from "./show.ts";
import { readVersion } from "./versions.ts";

const exported = ["configured", "imported"] as const satisfies readonly PriceLayer[];

/** `tollgate prices export`: the prices of a version as a configuration writes them. The bundled ones are only named. */
export async function exportPrices(options: VersionOptions): Promise<void> {
  const book = await withStorage(options, async (storage) => readVersion(storage, options.at ?? null));
  const layers = exported.map((layer) => {
    const table = book.tables[layer];
    const models = Object.entries(table?.models ?? {}).map(([id, document]) => ({ id, prices: usdDocument(document) }));
    return { layer, source: table?.source ?? null, date: table?.date ?? null, models };
  });
  const bundled = book.tables.bundled?.source ?? null;
  if (options.json === true) {
    return console.log(JSON.stringify({ object: "price_list.export", version: book.version, layers, bundled }));
  }
  console.log(`# Price list version ${book.version}. Bundled: ${bundled ?? "none"}.`);
  for (const { layer, source, date, models } of layers) {
    if (source === null) continue;
    console.log(`# ${layer}: ${source}, ${date}`);
    // JSON is YAML: one line a model.
    for (const { id, prices } of models) console.log(`- ${JSON.stringify({ id, prices })}`);
  }
}
