/**
 * Writes `src/billing/prices/bundled/genai-prices.json` from the package @pydantic/genai-prices, so that a start reads one small
 * file in place of a large program. Run it after a new version of the package; a test holds the file against the package.
 */
import { waitForUpdate } from "@pydantic/genai-prices";
import { bundledDate, bundledFile, bundledVersion } from "../src/billing/prices/bundled/bundled.ts";
import type { PriceTable } from "../src/billing/prices/price-table.ts";
import { convertProvider } from "./bundled-prices/convert.ts";

export async function makeBundledTable(): Promise<PriceTable> {
  const providers = (await waitForUpdate()) ?? [];
  return {
    source: `@pydantic/genai-prices ${bundledVersion}`,
    date: bundledDate,
    models: {},
    vendors: providers
      .map((provider) => convertProvider(provider, bundledDate))
      .filter(({ models }) => models.length > 0),
  };
}

/** One line a model, so that a change of prices is a change of lines. */
export function tableText({ vendors, ...table }: PriceTable): string {
  const texts = vendors.map(({ models, ...vendor }) => {
    const lines = models.map((model) => JSON.stringify(model)).join(",\n");
    return `${JSON.stringify(vendor).slice(0, -1)},"models":[\n${lines}]}`;
  });
  return `${JSON.stringify(table).slice(0, -1)},"vendors":[\n${texts.join(",\n")}]}\n`;
}

if (import.meta.main) await Bun.write(bundledFile, tableText(await makeBundledTable()));
