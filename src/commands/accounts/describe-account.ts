import type { TagPolicy } from "../../attribution/tag-policy.ts";
import type { AccountBalance } from "../../billing/accounts/account-store.ts";
import { formatUsd } from "../../billing/usd.ts";
import { describePolicy } from "./tag-options.ts";

/** A description of an account of several lines. */
export function describeAccount(shown: AccountBalance, policy: TagPolicy | null): string {
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
  if (policy !== null) lines.push(`Tags:      ${describePolicy(policy)}`);
  return lines.join("\n");
}
