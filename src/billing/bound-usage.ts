import { type Dimension, type Side, sideOf } from "../dimensions.ts";
import type { Usage } from "../metering/usage.ts";

/** Tokens that a request can have used at most, on each side; null if that is not known. */
export type UsageBounds = Readonly<Record<Side, number | null>>;

/**
 * The usage with no more tokens on either side than are possible. What a provider reports beyond that is taken off all
 * dimensions of the side in proportion. The same object if all of it is possible.
 */
export function boundUsage(usage: Usage, bounds: UsageBounds): Usage {
  const dimensions = boundSide(boundSide(usage.dimensions, "input", bounds.input), "output", bounds.output);
  return dimensions === usage.dimensions ? usage : { ...usage, dimensions };
}

function boundSide(dimensions: readonly Dimension[], side: Side, bound: number | null): readonly Dimension[] {
  if (bound === null) return dimensions;
  const isOfSide = ({ name, unit }: Dimension) => unit === "token" && sideOf(name) === side;
  let total = 0;
  for (const dimension of dimensions) if (isOfSide(dimension)) total += dimension.quantity;
  if (total <= bound) return dimensions;
  return dimensions.map((dimension) => {
    if (!isOfSide(dimension)) return dimension;
    // Exact: the product may be above 2^53.
    const quantity = Number((BigInt(dimension.quantity) * BigInt(bound)) / BigInt(total));
    return { ...dimension, quantity };
  });
}
