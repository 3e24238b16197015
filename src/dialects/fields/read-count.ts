import type { ReportedUsage } from "../../conversation/usage.ts";
import { addQuantity, maxQuantity, type MutableQuantities } from "../../dimensions.ts";
import type { JsonObject } from "../../json/values.ts";

/**
 * A count of a provider's: a whole number from 0 up to 10^9. Null for anything else, which counts as not reported: what
 * claims to be more is not a count, and must not reach arithmetic.
 */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxQuantity ? value : null;
}

/** The counts that were read. Dimensions of 0 are left out, except `input`; cache misses replace it. */
export function inputQuantities(
  input: number,
  cacheRead: number,
  cacheWrite: number,
  cacheMiss = 0,
): MutableQuantities {
  const quantities: MutableQuantities = cacheMiss > 0 ? {} : { input: 0 };
  addQuantity(quantities, "input", input);
  addQuantity(quantities, "cache_read", cacheRead);
  addQuantity(quantities, "cache_write", cacheWrite);
  addQuantity(quantities, "cache_miss", cacheMiss);
  return quantities;
}

/** Reads one usage object. `input` and `output` are null if the object does not report that side. */
export interface ReadUsage extends Pick<ReportedUsage, "reasoning"> {
  /** Owned by the report from now on. */
  readonly input: MutableQuantities | null;
  readonly output: number | null;
  /** Searches of a tool that the provider runs. */
  readonly searches?: number | null;
  readonly raw: JsonObject;
}

export function reportOf({ input, output, searches, reasoning, raw }: ReadUsage): ReportedUsage {
  const quantities: MutableQuantities = input ?? {};
  if (output !== null) quantities.output = Math.min(output, maxQuantity);
  addQuantity(quantities, "web_search", searches ?? 0);
  return {
    quantities,
    input: input === null ? "none" : "final",
    output: output === null ? "none" : "final",
    reasoning,
    raw,
  };
}
