import type { AccountBalance } from "../../billing/account-store.ts";
import { formatUsd } from "../../billing/usd.ts";

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
