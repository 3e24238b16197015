/** The usage of a request, as in the record and the charge. */

import type { Dimension } from "../dimensions.ts";

export type { Dimension, DimensionName } from "../dimensions.ts";

/** The source of a figure: the provider, the gateway's own estimate, or none. */
export type MeasurementSource = "provider" | "local_estimate" | "unavailable";

export interface Measurement {
  readonly input: MeasurementSource;
  readonly output: MeasurementSource;
}

/** The usage of one request. Dimensions with a quantity of 0 are left out, save input and output. */
export interface Usage {
  readonly dimensions: readonly Dimension[];
  /** Null if nothing of the request is counted in tokens. */
  readonly measurement: Measurement | null;
}

/** The usage of a request that no provider answered. */
export const nothingUsed: Usage = {
  dimensions: [],
  measurement: { input: "unavailable", output: "unavailable" },
};
