import type { Balance } from "../../billing/accounts/account-store.ts";
import type { LedgerEntry } from "../../billing/accounts/ledger.ts";
import type { Actor, NewChange } from "../../changes/change.ts";
import { freeOf } from "../ledger-row.ts";
import type { AccountRow } from "../schema.ts";

/** How long gateways are asked to give back what they do not need after a debit that found too little. */
export const debitRecallMs = 1_000;

/** What keeps an account from being credited or debited; null if nothing does. */
export function obstacleTo(account: AccountRow, amountMicrousd: number): "insufficient" | "overflow" | null {
  if (!Number.isSafeInteger(account.balance_microusd + amountMicrousd)) return "overflow";
  const takesTooMuch = amountMicrousd < 0 && freeOf(account) < -amountMicrousd;
  return account.mode === "prepaid" && takesTooMuch ? "insufficient" : null;
}

/** What the audit trail says of an entry that was made. @param balance the balance before it */
export function postedChange(entry: LedgerEntry, balance: Balance, by: Actor): NewChange {
  const { id, accountId, kind, amountMicrousd, idempotencyKey, note } = entry;
  const after = {
    balance_microusd: balance.balanceMicrousd + amountMicrousd,
    entry: { id, kind, amount_microusd: amountMicrousd, idempotency_key: idempotencyKey, note },
  };
  const before = { balance_microusd: balance.balanceMicrousd };
  return { by, kind: "account", id: accountId, action: amountMicrousd < 0 ? "debit" : "credit", before, after };
}
