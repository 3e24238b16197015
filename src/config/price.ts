/** The highest price of one pricing unit, in USD. */
const highestUsd = 1_000_000n;

const microusdPerUsd = 1_000_000n;

/** What a price may be, for errors. */
export const allowedPrice =
  "a price in USD from 0 to 1000000 in whole millionths (at most 6 decimals), as a number or as text such as 0.25";

/**
 * A price in USD, as a number or as decimal text, in whole micro-USD: `2.00` is 2000000. Exact: the decimal text is
 * read digit by digit and never becomes a float. Null where it is no such price.
 */
export function priceToMicrousd(price: unknown): number | null {
  if (typeof price !== "string" && typeof price !== "number") return null;
  // The shortest text of a number is the decimal that was written, up to 15 digits; longer ones were refused before.
  const parts = /^(\d{1,30})(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(String(price).trim());
  if (parts === null) return null;
  const [, whole = "0", fraction = "", exponent = "0"] = parts;
  const digits = BigInt(whole + fraction);
  const power = 6 - fraction.length + Number(exponent);
  const scale = 10n ** BigInt(Math.abs(power));
  if (power < 0 && digits % scale !== 0n) return null;
  const microusd = power < 0 ? digits / scale : digits * scale;
  return microusd <= highestUsd * microusdPerUsd ? Number(microusd) : null;
}
