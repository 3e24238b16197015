import type { DimensionName } from "../../dimensions.ts";
import type { TimeWindow } from "./time-window.ts";

/** The size of what one price buys: `unit_size` quantities of a dimension. */
export interface PricingUnit {
  /** As callers see it: `1M_tokens`, `image`, `second`, `search_unit`, `1M_characters`. */
  readonly name: string;
  readonly size: number;
}

/** The price of one dimension of one model. */
export interface Price {
  readonly dimension: DimensionName;
  readonly unit: PricingUnit;
  /** Whole micro-USD for one pricing unit. */
  readonly unitMicrousd: number;
}

/** Prices by dimension. A dimension that is absent has no price here. */
export type Rates = Readonly<Partial<Record<DimensionName, Price>>>;

/** Prices that apply under the same condition. */
export interface RateSet {
  readonly rates: Rates;
  /** By dimension, then by size or by quality and size; null if no dimension has such prices. */
  readonly variants: Readonly<Partial<Record<DimensionName, Readonly<Record<string, Price>>>>> | null;
}

/** Prices of whole requests with more input than this. */
export interface SizeTier extends RateSet {
  readonly aboveInputTokens: number;
}

export interface ServiceTier extends RateSet {
  /** Highest threshold first. */
  readonly sizeTiers: readonly SizeTier[];
}

export interface PriceWindow extends RateSet {
  readonly window: TimeWindow;
}

/** Kinds of tokens that are dimensions of their own only if the model prices them apart. */
export const tokenParts = ["input_audio", "input_image", "output_audio", "output_image"] as const;

export type TokenPart = (typeof tokenParts)[number];

/** The prices of one model. */
export interface ModelPrices extends RateSet {
  /** Highest threshold first. */
  readonly sizeTiers: readonly SizeTier[];
  /** By the word of the answer. */
  readonly serviceTiers: Readonly<Record<string, ServiceTier>>;
  readonly windows: readonly PriceWindow[];
  /** Whether there are tiers or windows at all. */
  readonly isConditional: boolean;
  /** Whether the amount is the cost that the provider reports. */
  readonly isProviderCost: boolean;
  /** The kinds of tokens that have a price of their own under some condition. */
  readonly pricedApart: readonly TokenPart[];
  /** Of each dimension the highest price that any condition can lead to. */
  readonly dearest: Rates;
}

/**
 * What a line of a charge is for: something consumed, the provider's own cost in place of all that, or the markup on the
 * sum of the other lines.
 */
export type LineName = DimensionName | "provider_cost" | "markup";

export interface LineItem {
  readonly dimension: LineName;
  readonly quantity: number;
  readonly unit: string;
  readonly unitSize: number;
  readonly unitMicrousd: number;
  readonly amountMicrousd: number;
}

/**
 * `pending`: a job that goes on, charged at its end; `charged`; `free`: priced at 0; `unpriced`: something consumed had no price; `refunded`: the request failed, so the
 * amount is 0 and there are no lines.
 */
export type BillingStatus = "pending" | "charged" | "free" | "unpriced" | "refunded";

/** usage x price list. The amount is the sum of the lines, in whole micro-USD. */
export interface Charge {
  readonly status: BillingStatus;
  readonly amountMicrousd: number;
  readonly pricingVersion: number;
  readonly lineItems: readonly LineItem[];
  /** The reported usage was beyond what is possible, and was bounded. */
  readonly suspect?: true;
  /**
   * What the tokens read from caches would have come to as `input`, less what they came to, before any markup; absent if
   * that is 0. Negative if the model's price of cached input is the higher one.
   */
  readonly cacheSavedMicrousd?: number;
}
