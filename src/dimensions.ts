/** The dimensions that a request can consume, as usage, prices, charges and records name them. */

interface DimensionKind {
  readonly unit: "token" | "search_unit" | "image" | "second" | "character" | "request";
  /** Whether it belongs to what was read or to what was written; null for what is neither. */
  readonly side: "input" | "output" | null;
}

/** In the order in which usage lists them. */
const kinds = {
  input: { unit: "token", side: "input" },
  cache_read: { unit: "token", side: "input" },
  /** Written to a cache whose lifetime the provider does not tell. */
  cache_write: { unit: "token", side: "input" },
  cache_write_5m: { unit: "token", side: "input" },
  cache_write_1h: { unit: "token", side: "input" },
  /** Uncached input, if the provider reports it by that name: it takes the place of `input`. */
  cache_miss: { unit: "token", side: "input" },
  /** Apart from `input` only if the model prices them apart; the same for output. */
  input_audio: { unit: "token", side: "input" },
  input_image: { unit: "token", side: "input" },
  output: { unit: "token", side: "output" },
  output_audio: { unit: "token", side: "output" },
  output_image: { unit: "token", side: "output" },
  web_search: { unit: "search_unit", side: null },
  image: { unit: "image", side: "output" },
  second: { unit: "second", side: "input" },
  character: { unit: "character", side: "input" },
  video_second: { unit: "second", side: "output" },
  /** The request itself, if the model has a price for it. */
  request: { unit: "request", side: null },
} as const satisfies Readonly<Record<string, DimensionKind>>;

export type DimensionName = keyof typeof kinds;
export type DimensionUnit = DimensionKind["unit"];
export type Side = "input" | "output";

/**
 * How much of each dimension. Disjoint: each token is in one of them, once. An absent dimension was not consumed.
 * Quantities are never negative and at most `maxQuantity`; only seconds may have a fraction.
 */
export type Quantities = Readonly<Partial<Record<DimensionName, number>>>;

/** The same while it is being put together. */
export type MutableQuantities = Partial<Record<DimensionName, number>>;

/** One thing consumed, as records show it. */
export interface Dimension {
  readonly name: DimensionName;
  readonly quantity: number;
  readonly unit: DimensionUnit;
  /** What its price may depend on: a size, or quality and size, such as `high/1024x1024`. Not kept in records. */
  readonly variant?: string;
}

/** No single request comes near this much of anything. Sums and products of such quantities stay exact. */
export const maxQuantity = 1_000_000_000;

export const dimensionNames = Object.keys(kinds) as readonly DimensionName[];

export function unitOf(name: DimensionName): DimensionUnit {
  return kinds[name].unit;
}

export function sideOf(name: DimensionName): Side | null {
  return kinds[name].side;
}

/** The quantities as a list, in the order of the table. */
export function listDimensions(quantities: Quantities): Dimension[] {
  const dimensions: Dimension[] = [];
  for (const name of dimensionNames) {
    const quantity = quantities[name];
    if (quantity !== undefined) dimensions.push({ name, quantity, unit: kinds[name].unit });
  }
  return dimensions;
}

/** Everything of one unit, on one side or on both. */
export function sumOf(quantities: Quantities, unit: DimensionUnit, side?: Side): number {
  let sum = 0;
  for (const name of dimensionNames) {
    const kind = kinds[name];
    if (kind.unit === unit && (side === undefined || kind.side === side)) sum += quantities[name] ?? 0;
  }
  return sum;
}

/** Adds to a dimension. What is 0 leaves no entry behind. */
export function addQuantity(quantities: MutableQuantities, name: DimensionName, quantity: number): void {
  if (quantity > 0) quantities[name] = Math.min((quantities[name] ?? 0) + quantity, maxQuantity);
}

/** A figure from a caller or an estimate as a whole quantity: never negative, never above `maxQuantity`. */
export function toQuantity(figure: number): number {
  return figure > 0 ? Math.ceil(Math.min(figure, maxQuantity)) : 0;
}
