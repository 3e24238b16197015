import { type Quantities, sideOf } from "../dimensions.ts";
import type { Dimension, Usage } from "./usage.ts";

/** What a request can have used at most. Null: not known. */
export interface UsageBounds {
  /** Tokens read, whatever their price. */
  readonly input: number | null;
  /** Tokens written. */
  readonly output: number | null;
  /** Of everything but tokens; what is absent was not asked for. */
  readonly others: Quantities | null;
}

/** Bounds of which none is known. */
export const unbounded: UsageBounds = { input: null, output: null, others: null };

/**
 * The usage within its bounds: as it is if it keeps to them, else less of each dimension, the last ones first. A figure
 * beyond what is possible is a mistake of the provider's, which the caller does not pay for.
 */
export function boundUsage(usage: Usage, bounds: UsageBounds): Usage {
  const left = { input: bounds.input ?? Infinity, output: bounds.output ?? Infinity };
  let isBounded = false;
  const bounded = (dimension: Dimension): Dimension => {
    const { name, quantity, unit } = dimension;
    const side = sideOf(name);
    const isTokens = unit === "token" && side !== null;
    const most = isTokens ? left[side] : bounds.others === null ? Infinity : (bounds.others[name] ?? 0);
    const kept = Math.min(quantity, most);
    if (isTokens) left[side] -= kept;
    if (kept === quantity) return dimension;
    isBounded = true;
    return { name, quantity: kept, unit };
  };
  const dimensions = usage.dimensions.map(bounded);
  return isBounded ? { ...usage, dimensions } : usage;
}
