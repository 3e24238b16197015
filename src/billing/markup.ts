import { maxLineMicrousd } from "./money.ts";
import type { Charge, LineItem } from "./prices/prices.ts";

/** A markup is in hundredths of a percent. */
const basis = 10_000;

/**
 * The markup on an amount, in whole micro-USD, rounded half up, and at most `maxLineMicrousd`; negative for a
 * discount.
 * @param basisPoints whole, from -10,000 up
 */
export function markupMicrousd(amountMicrousd: number, basisPoints: number): number {
  const product = amountMicrousd * basisPoints;
  if (Number.isSafeInteger(product)) {
    const remainder = ((product % basis) + basis) % basis;
    return Math.min((product - remainder) / basis + (remainder >= basis / 2 ? 1 : 0), maxLineMicrousd);
  }
  const doubled = 2n * BigInt(amountMicrousd) * BigInt(basisPoints) + BigInt(basis);
  const divisor = BigInt(2 * basis);
  const remainder = ((doubled % divisor) + divisor) % divisor;
  return Math.min(Number((doubled - remainder) / divisor), maxLineMicrousd);
}

/** An amount with its markup. It never falls if the amount rises. */
export function withMarkup(amountMicrousd: number, basisPoints: number): number {
  return amountMicrousd + markupMicrousd(amountMicrousd, basisPoints);
}

/** The sum of the lines that a markup is on. */
export function amountWithoutMarkup({ amountMicrousd, lineItems }: Charge): number {
  const last = lineItems.at(-1);
  return last?.dimension === "markup" ? amountMicrousd - last.amountMicrousd : amountMicrousd;
}

/** A charge with the account's markup as a line of its own, on the sum of the others; as it is if there is none. */
export function addMarkup(charge: Charge, basisPoints: number): Charge {
  const { amountMicrousd } = charge;
  if (basisPoints === 0 || amountMicrousd === 0) return charge;
  const markup: LineItem = {
    dimension: "markup",
    quantity: amountMicrousd,
    unit: "10000_microusd",
    unitSize: basis,
    unitMicrousd: basisPoints,
    amountMicrousd: markupMicrousd(amountMicrousd, basisPoints),
  };
  return {
    ...charge,
    amountMicrousd: amountMicrousd + markup.amountMicrousd,
    lineItems: [...charge.lineItems, markup],
  };
}
