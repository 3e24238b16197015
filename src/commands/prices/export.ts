import { type PriceLayer, targetSeparator } from "../../billing/price-table.ts";
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
    const models = Object.entries(table?.models ?? {}).map(([key, { cost, ...prices }]) => ({
      ...nameOf(key),
      prices: usdDocument(prices),
      ...(cost && { cost }),
    }));
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
    for (const model of models) console.log(`- ${JSON.stringify(model)}`);
  }
}

/** The model of a key, and the target if the prices are those of one. */
function nameOf(key: string): { readonly id: string; readonly target?: string } {
  const [id = key, target] = key.split(targetSeparator);
  return target === undefined ? { id } : { id, target };
}
