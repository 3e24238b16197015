import { buildPrices } from "../prices/build-prices.ts";
import { type ListedPrice, listPrices, priceLabel } from "./list-prices.ts";
import type { PriceBook } from "../prices/price-book.ts";
import type { PriceDocument } from "../prices/price-document.ts";
import { type PriceLayer, priceLayers } from "../prices/price-table.ts";

/** One price that is in one version and not, or otherwise, in another. */
export interface PriceDifference {
  readonly layer: PriceLayer;
  readonly model: string;
  /** The dimension with its condition. */
  readonly price: string;
  /** Null if there is none. */
  readonly before: ListedPrice | null;
  readonly after: ListedPrice | null;
}

/** Each price that differs between two versions. */
export function differencesOf(one: PriceBook, other: PriceBook): PriceDifference[] {
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
