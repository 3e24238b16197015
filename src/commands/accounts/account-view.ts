import type { AccountBalance } from "../../billing/account-store.ts";
import type { LedgerEntry } from "../../billing/ledger.ts";
import { formatUsd } from "../../billing/usd.ts";

/** An account in JSON output. Times are in Unix seconds. */
export function accountView({ account, balanceMicrousd, heldMicrousd, leasedMicrousd }: AccountBalance) {
  return {
    object: "account",
    id: account.id,
    name: account.name,
    mode: account.mode,
    markup_percent: account.markupBasisPoints / 100,
    currency: "USD",
    balance_microusd: balanceMicrousd,
    held_microusd: heldMicrousd,
    available_microusd: balanceMicrousd - heldMicrousd,
    /** Reserved by running gateways; part of it is held. */
    leased_microusd: leasedMicrousd,
    created_at: Math.floor(account.createdAt / 1000),
  };
}

/** An entry of a ledger in JSON output. */
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

/** A description of an account of several lines. */
export function describeAccount(shown: AccountBalance): string {
  const { account, balanceMicrousd, heldMicrousd } = shown;
  const lines = [
    `ID:        ${account.id}`,
    `Name:      ${account.name}`,
    `Mode:      ${account.mode}`,
    `Balance:   ${formatUsd(balanceMicrousd)} USD`,
    `Held:      ${formatUsd(heldMicrousd)} USD`,
    `Available: ${formatUsd(balanceMicrousd - heldMicrousd)} USD`,
  ];
  if (account.markupBasisPoints !== 0) lines.push(`Markup:    ${account.markupBasisPoints / 100} %`);
  return lines.join("\n");
}
