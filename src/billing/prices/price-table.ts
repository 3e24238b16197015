import type { PriceDocument } from "./price-document.ts";

/** Where prices come from. If several have a price for a model, the first in this order decides. */
export const priceLayers = ["configured", "imported", "bundled"] as const;

export type PriceLayer = (typeof priceLayers)[number];

/** Prices from one source. Immutable: a change makes another table. */
export interface PriceTable {
  /** `configuration`, `litellm`, `models.dev`, `@pydantic/genai-prices 0.1.8`. */
  readonly source: string;
  /** The day on which the source said so, such as `2026-09-23`; null if that is the day the table was stored. */
  readonly date: string | null;
  /**
   * By name: of a configured table the id of a model or, for prices of one target, `modelKey`; of an imported one what
   * the source calls the model.
   */
  readonly models: Readonly<Record<string, PriceDocument>>;
  /** Models whose names are patterns, by vendor. */
  readonly vendors: readonly VendorPrices[];
}

/** The models of one vendor, in the order in which they are tried. */
export interface VendorPrices {
  readonly id: string;
  /** A regular expression that the beginning of the vendor's addresses matches. */
  readonly address: string;
  /** Names that mean a model of this vendor, whoever serves it; null if names do not tell. */
  readonly names: NamePattern | null;
  /** Vendors whose models this one serves too. */
  readonly alsoServes: readonly string[];
  readonly models: readonly VendorModel[];
}

export interface VendorModel {
  readonly id: string;
  readonly match: NamePattern;
  readonly prices: PriceDocument;
}

/** A pattern of names; case does not count but in `regex`. */
export type NamePattern =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly or: readonly NamePattern[] }
  | { readonly and: readonly NamePattern[] };

/** Stands between a model and its target. The id of a model has no white space. */
export const targetSeparator = " > ";

/** The name under which a configured table has the prices of one target of a model. */
export function targetKey(model: string, target: string): string {
  return model + targetSeparator + target;
}

/** A table with the same content has the same id, in whatever order its prices are written. */
export function tableId(table: PriceTable): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(sorted(table))).digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, item]) => [name, sorted(item)]),
  );
}
