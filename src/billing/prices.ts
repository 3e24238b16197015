import type { DimensionName } from "../metering/usage.ts";

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

/** The prices of one model, by dimension. A dimension that is absent has no price of its own. */
export type ModelPrices = Readonly<Partial<Record<DimensionName, Price>>>;

/** All prices in force from one moment on. Immutable; a change makes the next version. */
export interface PriceList {
  /** 1 for the first. */
  readonly version: number;
  /** By model id. A model that is absent is unpriced. */
  readonly models: Readonly<Record<string, ModelPrices>>;
}

/** What a line of a bill is for: something consumed, or the markup on the sum of the other lines. */
export type LineName = DimensionName | "markup";

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
}
