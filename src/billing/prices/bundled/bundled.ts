import type { KnownTable } from "../../price-lists/change-prices.ts";
import type { PriceTable } from "../price-table.ts";

/** The version of @pydantic/genai-prices that the table is made from. Its licence is beside it. */
export const bundledVersion = "0.1.8";

/** The day on which that version was published. */
export const bundledDate = "2026-09-23";

/** Made by `scripts/bundled-prices.ts`. */
export const bundledFile = new URL("./genai-prices.json", import.meta.url);

/** Prices of known models, for those that have no other. Read only if the storage does not have them yet. */
export const bundledTable: KnownTable = {
  // The last number changes if the same version of the package is converted in another way.
  id: `genai-prices@${bundledVersion}#1`,
  // Only the script writes this file.
  load: async () => (await Bun.file(bundledFile).json()) as PriceTable,
};
