/**
 * The highest amount of one line: 100 million USD. Only an impossible count comes to more. A bill of one line for each
 * dimension stays far below 2^53, so sums are exact.
 */
export const maxLineMicrousd = 100_000_000_000_000;

/**
 * quantity x price / unit size, in whole micro-USD, rounded half up, and at most `maxLineMicrousd`. Exact: no product
 * is ever rounded on the way. A quantity with a fraction (seconds) counts as its decimal text, so 0.1 is one tenth and not the nearest binary number.
 * @param quantity finite, from 0 up
 * @param unitMicrousd whole, from 0 up: what `unitSize` of the quantity costs
 * @param unitSize whole, from 1 up
 * @throws RangeError if an argument is none of these
 */
export function amountMicrousd(quantity: number, unitMicrousd: number, unitSize: number): number {
  if (!Number.isSafeInteger(unitMicrousd) || unitMicrousd < 0) throw new RangeError(`Not a price: ${unitMicrousd}`);
  if (!Number.isSafeInteger(unitSize) || unitSize < 1) throw new RangeError(`Not a unit size: ${unitSize}`);
  if (!Number.isFinite(quantity) || quantity < 0) throw new RangeError(`Not a quantity: ${quantity}`);
  const product = quantity * unitMicrousd;
  // Below 2^53 the product of two integers is itself, and so are remainder and quotient.
  if (Number.isInteger(quantity) && product <= Number.MAX_SAFE_INTEGER) {
    const remainder = product % unitSize;
    const amount = (product - remainder) / unitSize + (remainder >= unitSize - remainder ? 1 : 0);
    return Math.min(amount, maxLineMicrousd);
  }
  const { digits, scale } = decimal(quantity);
  return divideHalfUp(digits * BigInt(unitMicrousd), scale * BigInt(unitSize));
}

/** A finite number's shortest decimal text as digits / scale. */
function decimal(value: number): { digits: bigint; scale: bigint } {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return shift < 0 ? { digits, scale: 10n ** BigInt(-shift) } : { digits: digits * 10n ** BigInt(shift), scale: 1n };
}

function divideHalfUp(dividend: bigint, divisor: bigint): number {
  return Math.min(Number((2n * dividend + divisor) / (2n * divisor)), maxLineMicrousd);
}
