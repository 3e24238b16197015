import { buildPrices } from "./build-prices.ts";
import { findVendorModel } from "./bundled/find-vendor-model.ts";
import type { PriceDocument } from "./price-document.ts";
import { type PriceLayer, priceLayers, type PriceTable, targetKey } from "./price-table.ts";
import type { ModelPrices } from "./prices.ts";

/** A model as far as its price depends on it. */
export interface PricedModel {
  readonly id: string;
  /** The id under which the configuration has its prices: its own, or that of the pattern it is derived from. */
  readonly pricedAs: string;
}

/** A target of a model as far as its price depends on it. */
export interface PricedTarget {
  readonly provider: { readonly id: string; readonly baseUrl: string };
  /** The provider's own name for the model. */
  readonly model: string;
  /** `provider/model` as the configuration writes it, with the `*` of a pattern. */
  readonly pricedAs: string;
}

/** The tables of one version, by layer; null if it has none. */
export type PriceTables = Readonly<Record<PriceLayer, DatedTable | null>>;

/** A table with the day of its prices. */
export interface DatedTable extends Omit<PriceTable, "date"> {
  readonly date: string;
}

export interface PriceSource {
  readonly layer: PriceLayer;
  readonly name: string;
  /** Such as `2026-09-23`. */
  readonly date: string;
}

/** A price that was found, with where it comes from. */
export interface FoundPrices {
  readonly prices: ModelPrices;
  readonly document: PriceDocument;
  readonly source: PriceSource;
}

/**
 * One version of the price list, ready to be looked up in. Immutable. What is found for a target is kept, so that a model
 * is looked for once.
 */
export class PriceBook {
  /** 1 for the first. */
  readonly version: number;
  readonly tables: PriceTables;
  readonly #found = new WeakMap<PricedTarget, FoundPrices | null>();
  readonly #built = new WeakMap<PriceDocument, FoundPrices>();

  constructor(version: number, tables: PriceTables) {
    this.version = version;
    this.tables = tables;
  }

  /** The prices of a model at one of its targets, from the first layer that has any; null if it is unpriced. */
  find(model: PricedModel, target: PricedTarget): FoundPrices | null {
    let found = this.#found.get(target);
    if (found === undefined) {
      found = this.#search(model, target);
      this.#found.set(target, found);
    }
    return found;
  }

  pricesOf(model: PricedModel, target: PricedTarget): ModelPrices | null {
    return this.find(model, target)?.prices ?? null;
  }

  #search(model: PricedModel, target: PricedTarget): FoundPrices | null {
    for (const layer of priceLayers) {
      const table = this.tables[layer];
      const document = table && search(table, layer, model, target);
      if (table && document) return this.#build(document, { layer, name: table.source, date: table.date });
    }
    return null;
  }

  #build(document: PriceDocument, source: PriceSource): FoundPrices {
    let built = this.#built.get(document);
    if (!built) {
      built = { prices: buildPrices(document), document, source };
      this.#built.set(document, built);
    }
    return built;
  }
}

function search(
  { models, vendors }: DatedTable,
  layer: PriceLayer,
  model: PricedModel,
  target: PricedTarget,
): PriceDocument | null {
  const { provider } = target;
  const names =
    layer === "configured"
      ? [targetKey(model.pricedAs, target.pricedAs), model.pricedAs]
      : [model.id, `${provider.id}/${target.model}`, target.model];
  for (const name of names) {
    const document = Object.hasOwn(models, name) ? models[name] : undefined;
    if (document) return document;
  }
  if (vendors.length === 0) return null;
  const asked = { providerId: provider.id, baseUrl: provider.baseUrl, name: target.model };
  return findVendorModel(vendors, asked)?.prices ?? null;
}
