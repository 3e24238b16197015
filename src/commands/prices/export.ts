import { withStorage } from "../with-storage.ts";
import type { VersionOptions } from "./show.ts";
import { readVersion } from "./versions.ts";

/** `tollgate prices export`: the prices of a version as a configuration writes them. The bundled ones are only named. */
export async function exportPrices(options: VersionOptions): Promise<void> {
  const book = await withStorage(options, async (storage) => readVersion(storage, options.at ?? null));
  const { priceExport } = await import("../../billing/price-lists/price-export.ts");
  const whole = priceExport(book);
  if (options.json === true) return console.log(JSON.stringify(whole));
  console.log(`# Price list version ${whole.version}. Bundled: ${whole.bundled ?? "none"}.`);
  for (const { layer, source, date, models } of whole.layers) {
    if (source === null) continue;
    console.log(`# ${layer}: ${source}, ${date}`);
    // JSON is YAML: one line a model.
    for (const model of models) console.log(`- ${JSON.stringify(model)}`);
  }
}
