import type { DimensionName } from "../../dimensions.ts";
import type { Rate } from "./rate.ts";

/** Dimensions whose price may depend on the size (`1024x1024`) or on quality and size (`high/1024x1024`). */
export const variedDimensions = ["image", "video_second"] as const;

export type VariedDimension = (typeof variedDimensions)[number];

/** Prices by size, or by quality and size; `default` is for all others. */
export type VariantRates = Readonly<Record<string, Rate>>;

/** The prices of some dimensions, each for one pricing unit. */
export type RatesDocument = {
  readonly [Name in DimensionName]?: Rate | (Name extends VariedDimension ? VariantRates : never);
};

/** Prices of whole requests whose input, cached input included, is above a number of tokens. */
export type TierDocument = RatesDocument & { readonly above_input_tokens: number };

/** Prices of requests that begin in these hours of the day: from `from` up to but not including `to`. */
export type WindowDocument = RatesDocument & {
  /** `16:30` */
  readonly from: string;
  /** `00:30`; earlier than `from` if the window crosses midnight. `24:00` is midnight too. */
  readonly to: string;
  /** An IANA name, such as `Asia/Shanghai`. */
  readonly time_zone: string;
};

/**
 * All prices of one model, as the configuration names them and as they are stored. What a tier or a window does not name
 * costs what it costs without.
 */
export type PriceDocument = RatesDocument & {
  readonly tiers?: readonly TierDocument[];
  /** By the word of the answer: `flex`, `priority`, `batch`. */
  readonly service_tiers?: Readonly<Record<string, RatesDocument & { readonly tiers?: readonly TierDocument[] }>>;
  readonly windows?: readonly WindowDocument[];
  /** The amount is the cost that the provider reports; the prices are for answers that report none. */
  readonly cost?: "provider";
};
