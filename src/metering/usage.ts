/** What a request consumed, as the record and the bill speak of it. */

export type DimensionName =
  | "input"
  | "output"
  | "cache_read"
  | "cache_write"
  | "cache_write_5m"
  | "cache_write_1h"
  | "cache_miss"
  | "web_search"
  | "image"
  | "second"
  | "character"
  | "video_second";

export type DimensionUnit = "token" | "search_unit" | "image" | "second" | "character";

/** One thing consumed. Dimensions of a request are disjoint. */
export interface Dimension {
  readonly name: DimensionName;
  /** Never negative. A whole number for tokens; seconds may have a fraction. */
  readonly quantity: number;
  readonly unit: DimensionUnit;
}

/** Who measured a figure: the provider, the gateway's own estimate, or nobody. */
export type MeasurementSource = "provider" | "local_estimate" | "unavailable";

export interface Measurement {
  readonly input: MeasurementSource;
  readonly output: MeasurementSource;
}

/** The usage of one request. Dimensions with a quantity of 0 are left out, save input and output. */
export interface Usage {
  readonly dimensions: readonly Dimension[];
  readonly measurement: Measurement;
}

/** The usage of a request that no provider answered. */
export const nothingUsed: Usage = {
  dimensions: [],
  measurement: { input: "unavailable", output: "unavailable" },
};
