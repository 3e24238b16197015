import { InvalidArgumentError } from "commander";
import { isAccountId, maxAmountMicrousd } from "../../billing/accounts/account.ts";
import { CommandFailure } from "../exit-codes.ts";

/** Reads the id of an account. */
export function accountId(text: string): string {
  if (isAccountId(text)) return text;
  throw new InvalidArgumentError("Allowed: 1 to 64 letters, digits, dots, dashes and underscores.");
}

/** Reads an amount in USD above 0 as whole micro-USD. */
export function usdAmount(text: string): number {
  const [, whole = "", fraction = ""] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  const microusd = whole === "" ? 0 : Number(whole + fraction.padEnd(6, "0"));
  if (microusd > 0 && microusd <= maxAmountMicrousd) return microusd;
  throw new InvalidArgumentError("Allowed: an amount in USD from 0.000001 to 1000000000 with at most 6 decimals.");
}

/** Reads a percentage as hundredths of a percent. */
export function markupPercent(text: string): number {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d{1,5})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const basisPoints = Number(whole + fraction.padEnd(2, "0")) * (sign === "-" ? -1 : 1);
  if (whole !== "" && basisPoints >= -10_000 && basisPoints <= 1_000_000) return basisPoints + 0;
  throw new InvalidArgumentError("Allowed: a percentage from -100 to 10000 with at most 2 decimals.");
}

/** Reads a text of one line, such as a note or an idempotency key. */
export function shortText(text: string): string {
  if (/^[^\p{C}]{1,200}$/u.test(text) && text.trim() !== "") return text.trim();
  throw new InvalidArgumentError("Allowed: 1 to 200 characters without control characters.");
}

export function unknownAccount(id: string): CommandFailure {
  return new CommandFailure(`unknown account ${id}. See: tollgate accounts list`);
}
