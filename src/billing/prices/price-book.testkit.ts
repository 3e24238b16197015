import { type DatedTable, PriceBook } from "./price-book.ts";
import type { PriceDocument } from "./price-document.ts";

/** A table of prices by name. */
export function exampleTable(models: Readonly<Record<string, PriceDocument>>, source = "configuration"): DatedTable {
  return { source, date: "2026-11-22", models, vendors: [] };
}

/** Version 1 of a price list whose models have configured prices. */
export function exampleBook(models: Readonly<Record<string, PriceDocument>> = {}): PriceBook {
  return new PriceBook(1, { configured: exampleTable(models), imported: null, bundled: null });
}
