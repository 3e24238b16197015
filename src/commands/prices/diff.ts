import type { PriceBook } from "../../billing/price-book.ts";
import { buildPrices } from "../../billing/build-prices.ts";
import { type ListedPrice, listPrices, priceLabel } from "../../billing/list-prices.ts";
import type { PriceDocument } from "../../billing/price-document.ts";
import { type PriceLayer, priceLayers } from "../../billing/price-table.ts";
import { formatTable, formatUsd } from "../format.ts";
import type { ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { readVersion } from "./versions.ts";

interface Difference {
  readonly layer: PriceLayer;
  readonly model: string;
  /** The dimension with its condition. */
  readonly price: string;
  /** Null if there is none. */
  readonly before: ListedPrice | null;
  readonly after: ListedPrice | null;
}

/** `tollgate prices diff A B`: each price that is in one version and not, or otherwise, in the other. */
export async function diffVersions(
  a: number,
  b: number,
  options: ConfigOptions & { readonly json?: boolean },
): Promise<void> {
  const differences = await withStorage(options, async (storage) => {
    return differencesOf(await readVersion(storage, a), await readVersion(storage, b));
  });
  if (options.json === true) {
    return console.log(JSON.stringify({ object: "price_list.diff", from: a, to: b, differences }));
  }
  if (differences.length === 0) return console.log(`Versions ${a} and ${b} have the same prices.`);
  const rows = differences.map(({ layer, model, price, before, after }) => {
    return [model, price, text(before), text(after), (after ?? before)?.unit ?? "", layer];
  });
  console.log(formatTable([["MODEL", "PRICE", `VERSION ${a}`, `VERSION ${b}`, "PER", "SOURCE"], ...rows], [2, 3]));
}

function text(price: ListedPrice | null): string {
  return price === null ? "-" : formatUsd(price.unit_microusd);
}

function differencesOf(one: PriceBook, other: PriceBook): Difference[] {
  return priceLayers.flatMap((layer) => {
    const before = documentsOf(one, layer);
    const after = documentsOf(other, layer);
    return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((model) => {
      const old = pricesOf(before.get(model));
      const now = pricesOf(after.get(model));
      return [...new Set([...old.keys(), ...now.keys()])].flatMap((price) => {
        const [was = null, is = null] = [old.get(price), now.get(price)];
        const isSame = was?.unit_microusd === is?.unit_microusd && was?.unit_size === is?.unit_size;
        return isSame ? [] : [{ layer, model, price, before: was, after: is }];
      });
    });
  });
}

function documentsOf({ tables }: PriceBook, layer: PriceLayer): ReadonlyMap<string, PriceDocument> {
  const table = tables[layer];
  const vendors = table?.vendors ?? [];
  return new Map([
    ...Object.entries(table?.models ?? {}),
    ...vendors.flatMap(({ id, models }) => models.map((model) => [`${id}/${model.id}`, model.prices] as const)),
  ]);
}

/** The prices of a model, each under its dimension and condition. */
function pricesOf(document: PriceDocument | undefined): ReadonlyMap<string, ListedPrice> {
  const listed = document ? listPrices(buildPrices(document)) : [];
  return new Map(listed.map((price) => [priceLabel(price), price]));
}
