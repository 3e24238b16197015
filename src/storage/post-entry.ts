import { freeOf } from "./ledger-row.ts";
import type { AccountRow } from "./schema.ts";

/** How long gateways are asked to give back what they do not need after a debit that found too little. */
export const debitRecallMs = 1_000;

/** What keeps an account from being credited or debited; null if nothing does. */
export function obstacleTo(account: AccountRow, amountMicrousd: number): "insufficient" | "overflow" | null {
  if (!Number.isSafeInteger(account.balance_microusd + amountMicrousd)) return "overflow";
  const takesTooMuch = amountMicrousd < 0 && freeOf(account) < -amountMicrousd;
  return account.mode === "prepaid" && takesTooMuch ? "insufficient" : null;
}
