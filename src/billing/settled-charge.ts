import { addMarkup, withMarkup } from "./markup.ts";
import { amountMicrousd } from "./money.ts";
import type { Charge, LineItem } from "./prices/prices.ts";

/** What a charge must keep to. */
export interface ChargeTerms {
  readonly markupBasisPoints: number;
  /** What was held for it; null if nothing bounds it. */
  readonly heldMicrousd: number | null;
}

/**
 * A charge with the account's markup, and never above what was held. Usage is bounded before it is charged, so a charge is
 * above its hold only if the hold was worked out wrongly, or for a job that was longer than asked: then its last lines
 * are cut, and it is marked as suspect.
 */
export function settledCharge(charge: Charge, { markupBasisPoints, heldMicrousd }: ChargeTerms): Charge {
  if (heldMicrousd === null || withMarkup(charge.amountMicrousd, markupBasisPoints) <= heldMicrousd) {
    return addMarkup(charge, markupBasisPoints);
  }
  return addMarkup(cutTo(charge, withoutMarkup(heldMicrousd, markupBasisPoints)), markupBasisPoints);
}

/** The highest amount that is at most `limitMicrousd` with the markup. */
function withoutMarkup(limitMicrousd: number, basisPoints: number): number {
  // A discount leaves a hundredth of a percent at least: one of all leaves nothing that could exceed the limit.
  let fits = 0;
  let exceeds = Math.min((limitMicrousd + 1) * 10_000, 2 ** 51);
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2);
    if (withMarkup(middle, basisPoints) <= limitMicrousd) fits = middle;
    else exceeds = middle;
  }
  return fits;
}

function cutTo(charge: Charge, limitMicrousd: number): Charge {
  let left = limitMicrousd;
  const lineItems = charge.lineItems.map((line) => {
    const cut = line.amountMicrousd <= left ? line : cutLine(line, left);
    left -= cut.amountMicrousd;
    return cut;
  });
  // Nothing is said of savings: they were worked out for usage that is not charged.
  const { cacheSavedMicrousd: _, ...cut } = charge;
  return { ...cut, amountMicrousd: limitMicrousd - left, lineItems, suspect: true };
}

/** As much of a line as an amount covers, in whole quantities; of a cost in USD to the micro-USD. */
function cutLine(line: LineItem, limitMicrousd: number): LineItem {
  const { unitSize, unitMicrousd } = line;
  if (line.dimension === "provider_cost") {
    return { ...line, quantity: limitMicrousd / unitMicrousd, amountMicrousd: limitMicrousd };
  }
  const quantity = Number((BigInt(limitMicrousd) * BigInt(unitSize)) / BigInt(Math.max(1, unitMicrousd)));
  const kept = Math.min(Math.floor(line.quantity), quantity);
  return { ...line, quantity: kept, amountMicrousd: amountMicrousd(kept, unitMicrousd, unitSize) };
}
