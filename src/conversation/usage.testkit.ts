import { dimensionNames, type Quantities, sideOf } from "../dimensions.ts";
import type { ReportedUsage } from "./usage.ts";

/** A final report of these quantities, for tests. */
export function exampleUsage(quantities: Quantities, more: Partial<ReportedUsage> = {}): ReportedUsage {
  const has = (side: string) => dimensionNames.some((name) => sideOf(name) === side && quantities[name] !== undefined);
  return {
    quantities,
    input: has("input") ? "final" : "none",
    output: has("output") ? "final" : "none",
    reasoning: null,
    raw: {},
    ...more,
  };
}
