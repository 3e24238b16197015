import type { DimensionName } from "../../../dimensions.ts";
import { allowedPrice, type Rate, readUsd } from "../rate.ts";
import { type FileValue, NumberText } from "./price-file.ts";

/** Something in a price file that cannot be taken over. */
export interface ImportProblem {
  /** Such as `gpt-5.input_cost_per_token`. */
  readonly path: string;
  readonly message: string;
}

/** Prices while they are put together. */
export type MutableRates = Partial<Record<DimensionName, Rate>>;

/**
 * Reads a price as it is written. Null, with a problem, if it is negative, not a number, or not exact.
 * @param shift by how many places the decimal point is moved: 6 for a price of one token
 */
export function readPrice(
  value: FileValue | undefined,
  path: string,
  shift: number,
  problems: ImportProblem[],
): Rate | null {
  const rate = value instanceof NumberText ? readUsd(value.text, shift) : null;
  if (rate === null) {
    const unit = shift === 6 ? " of a million tokens" : "";
    problems.push({ path, message: `found ${found(value)}; allowed: ${allowedOf(unit)}` });
  }
  return rate;
}

function allowedOf(unit: string): string {
  return allowedPrice.replace("a price", `a price${unit}`).replace(", as a number or as text", ", as a number");
}

function found(value: FileValue | undefined): string {
  if (value instanceof NumberText) return value.text.slice(0, 40);
  if (value === undefined) return "nothing";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (value === null || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}
