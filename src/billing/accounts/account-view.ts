import type { Account } from "./account.ts";
import type { AccountBalance } from "./account-store.ts";
import type { LedgerEntry } from "./ledger.ts";

/** An account in the admin API and in the output of commands. Times are in Unix seconds. */
export function accountView({ account, balanceMicrousd, heldMicrousd, leasedMicrousd }: AccountBalance) {
  const { created_at, ...fields } = accountFields(account);
  return {
    object: "account",
    ...fields,
    currency: "USD",
    balance_microusd: balanceMicrousd,
    held_microusd: heldMicrousd,
    available_microusd: balanceMicrousd - heldMicrousd,
    /** Reserved by running gateways; part of it is held. */
    leased_microusd: leasedMicrousd,
    created_at,
  };
}

/** What is set of an account. */
export function accountFields(account: Account) {
  return {
    id: account.id,
    name: account.name,
    mode: account.mode,
    markup_percent: account.markupBasisPoints / 100,
    created_at: Math.floor(account.createdAt / 1000),
  };
}

/** An entry of a ledger in the admin API and in the output of commands. */
export function entryView(entry: LedgerEntry) {
  return {
    object: "ledger_entry",
    id: entry.id,
    kind: entry.kind,
    amount_microusd: entry.amountMicrousd,
    account: entry.accountId,
    request_id: entry.requestId,
    pricing_version: entry.pricingVersion,
    created_at: Math.floor(entry.createdAt / 1000),
    idempotency_key: entry.idempotencyKey,
    note: entry.note,
  };
}
