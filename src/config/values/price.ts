/** Maximum price of one pricing unit, in USD. */
const maxUsd = 1_000_000n;

const microusdPerUsd = 1_000_000n;

/** Describes a valid price. */
export const allowedPrice =
  "a price in USD from 0 to 1000000 in whole millionths (at most 6 decimals), as a number or as text such as 0.25";

/**
 * Converts a price in USD, a number or decimal text, to whole micro-USD: `2.00` is 2000000. Exact: the digits are never
 * converted to a float. Null if it is invalid.
 */
export function priceToMicrousd(price: unknown): number | null {
  if (typeof price !== "string" && typeof price !== "number") return null;
  // The shortest text of a number of up to 15 digits is the decimal that was written; longer ones are rejected earlier.
  const parts = /^(\d{1,30})(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(String(price).trim());
  if (parts === null) return null;
  const [, whole = "0", fraction = "", exponent = "0"] = parts;
  const digits = BigInt(whole + fraction);
  const power = 6 - fraction.length + Number(exponent);
  const scale = 10n ** BigInt(Math.abs(power));
  if (power < 0 && digits % scale !== 0n) return null;
  const microusd = power < 0 ? digits / scale : digits * scale;
  return microusd <= maxUsd * microusdPerUsd ? Number(microusd) : null;
}
