import { Refusal } from "../refusal.ts";

const dayMs = 86_400_000;

/** Days from a date such as `2026-11-14` until now; null if there is none. @param status of the vendor's refusal */
export function daysSince(value: unknown, name: string, status = 400): number | null {
  if (value === undefined || value === null) return null;
  const at = typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(at)) return (Date.now() - at) / dayMs;
  throw new Refusal(status, `${name} must be a valid date in the form YYYY-MM-DD`, { param: name });
}
