import { InvalidArgumentError } from "commander";
import { readTag, tagForm } from "../../attribution/tag-grammar.ts";
import { maxAmountMicrousd } from "../../billing/accounts/account.ts";
import { isTimeZone } from "../../billing/prices/time-window.ts";

/** Reads an amount in USD from 0 up as whole micro-USD. */
export function budgetAmount(text: string): number {
  const [, whole = "", fraction = ""] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  const microusd = Number(whole + fraction.padEnd(6, "0"));
  if (whole !== "" && microusd <= maxAmountMicrousd) return microusd;
  throw new InvalidArgumentError("Allowed: an amount in USD from 0 to 1000000000 with at most 6 decimals.");
}

/** Reads `name=value`. */
export function budgetTag(text: string): { readonly name: string; readonly value: string } {
  const [name, value] = readTag(text) ?? [];
  if (name !== undefined && value !== undefined) return { name, value };
  throw new InvalidArgumentError(`Allowed: ${tagForm}.`);
}

/** Reads the name of a time zone. */
export function timeZone(name: string): string {
  if (isTimeZone(name)) return name;
  throw new InvalidArgumentError("Allowed: the name of a time zone, such as Europe/Berlin.");
}

/** Reads percentages such as `80,95`. */
export function percentages(text: string): readonly number[] {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.every((part) => /^\d{1,4}$/.test(part) && Number(part) >= 1 && Number(part) <= 1_000)) {
    return parts.map(Number);
  }
  throw new InvalidArgumentError("Allowed: whole percentages from 1 to 1000, such as 80,95.");
}
