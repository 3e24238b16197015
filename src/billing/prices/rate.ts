/**
 * Amounts of USD as decimal text, read and written digit by digit: no amount is ever a float.
 */

/**
 * What one pricing unit costs. A number is whole micro-USD. A price that is finer than a micro-USD is decimal text in
 * USD, such as `0.0000305`: that is exact as a price of a million pricing units.
 */
export type Rate = number | string;

/** Describes a valid price. */
export const allowedPrice = "a price in USD from 0 to 1000000 with at most 12 decimals, as a number or as text";

/** Maximum price of one pricing unit, in USD. */
const maxUsd = 1_000_000n;
const maxDecimals = 12;

/**
 * Reads a price in USD, a number or decimal text: `2.00` is 2000000. Null if it is negative, not a number, too high, or
 * finer than 12 decimals, or if a million pricing units would cost more than 2^53 micro-USD where that is needed.
 * @param shift by how many places the decimal point is moved to the right: 6 for a price of a token
 */
export function readUsd(price: unknown, shift = 0): Rate | null {
  if (typeof price !== "string" && typeof price !== "number") return null;
  // The shortest text of a number of up to 15 digits is the decimal that was written; longer ones are rejected earlier.
  const parts = /^(\d{1,30})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(String(price).trim());
  if (parts === null) return null;
  const [, whole = "0", fraction = "", exponent = "0"] = parts;
  const digits = BigInt(whole + fraction);
  const power = maxDecimals - fraction.length + Number(exponent) + shift;
  const scale = 10n ** BigInt(Math.abs(power));
  if (power < 0 && digits % scale !== 0n) return null;
  const millionths = power < 0 ? digits / scale : digits * scale;
  if (millionths > maxUsd * million * million) return null;
  if (millionths % million === 0n) return Number(millionths / million);
  return millionths <= BigInt(Number.MAX_SAFE_INTEGER) ? decimalText(millionths, maxDecimals) : null;
}

const million = 1_000_000n;

/** A rate as whole micro-USD for one or, if it is finer than that, for a million pricing units. */
export function exactRate(rate: Rate): { readonly unitMicrousd: number; readonly isPerMillion: boolean } {
  if (typeof rate === "number") return { unitMicrousd: rate, isPerMillion: false };
  const [whole = "", fraction = ""] = rate.split(".");
  return { unitMicrousd: Number(whole + fraction.padEnd(maxDecimals, "0")), isPerMillion: true };
}

/** A rate as decimal text in USD: 2000000 is `2`, 25000 is `0.025`. */
export function usdText(rate: Rate): string {
  return typeof rate === "string" ? rate : decimalText(BigInt(rate), 6);
}

function decimalText(value: bigint, decimals: number): string {
  const digits = String(value).padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return digits.slice(0, -decimals) + (fraction === "" ? "" : `.${fraction}`);
}
