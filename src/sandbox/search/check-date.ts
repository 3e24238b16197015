import { Refusal } from "../refusal.ts";
import { requiredText } from "./check-parameters.ts";

const dayMs = 86_400_000;

/** Days from a date such as `2026-11-14` until now; null if there is none. @param status of the vendor's refusal */
export function daysSince(value: unknown, name: string, status = 400): number | null {
  if (value === undefined || value === null) return null;
  const at = typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(at)) return (Date.now() - at) / dayMs;
  throw new Refusal(status, `${name} must be a valid date in the form YYYY-MM-DD`, { param: name });
}

/** Days of Google's letters for ranges of time. */
const googleDays = new Map([
  ["h", 1],
  ["d", 1],
  ["w", 7],
  ["m", 31],
  ["y", 365],
]);

/** Days of Google's `tbs=qdr:w`; null if there is no filter, or it is for dates. */
export function daysOfGoogleFilter(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const text = requiredText(value, "tbs", 100);
  const days = googleDays.get(/(?:^|,)qdr:([hdwmy])(?:,|$)/.exec(text)?.[1] ?? "") ?? null;
  if (days === null && !/^(sbd:1|cdr:1,)/.test(text)) {
    throw new Refusal(400, "tbs is not a valid time filter", { param: "tbs" });
  }
  return days;
}
