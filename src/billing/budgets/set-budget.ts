import { isTagName, isTagValue, tagForm } from "../../attribution/tag-grammar.ts";
import type { Actor } from "../../changes/change.ts";
import { invalidParameter } from "../../errors.ts";
import { newRequestId } from "../../identifiers.ts";
import { maxAmountMicrousd } from "../accounts/account.ts";
import { isTimeZone } from "../prices/time-window.ts";
import type { Budget } from "./budget.ts";
import { endless, type Period, periodAt } from "./budget-period.ts";
import type { BudgetStore } from "./budget-store.ts";

const maxPercent = 1_000;
const maxThresholds = 16;
const maxTextLength = 256;

/**
 * Sets a budget, in place of one for the same requests, period and kind, and counts what was spent in its current period
 * before. A running gateway follows within half a second.
 * @throws 400 `invalid_parameter` that names the field
 */
export async function setBudget(
  store: Pick<BudgetStore, "set">,
  wish: Omit<Budget, "id" | "createdAt">,
  now: number,
  by: Actor,
): Promise<Budget & { readonly replaced: string | null }> {
  const budget = { ...wish, id: `bud_${newRequestId(now).slice("req_".length)}`, createdAt: now };
  checkBudget(budget);
  // A budget for a session is one for each of them.
  const each = budget.per === "session" ? "session" : budget.each;
  const notify = [...new Set([...budget.notify, 100])].toSorted((a, b) => a - b);
  const complete = { ...budget, each, notify };
  const [replaced] = await store.set(complete, periodsFrom(complete, now), by);
  return { ...complete, replaced: replaced?.id ?? null };
}

/** The period that is on, and the next one. */
export function periodsFrom(budget: Pick<Budget, "per" | "timeZone">, now: number): Period[] {
  const current = periodAt(budget, now);
  return current.endsAt === endless ? [current] : [current, periodAt(budget, current.endsAt)];
}

function checkBudget({ amountMicrousd, timeZone, notify, per, each, ...selector }: Budget): void {
  if (!(Number.isInteger(amountMicrousd) && amountMicrousd >= 0 && amountMicrousd <= maxAmountMicrousd)) {
    throw invalidParameter("amount_microusd", `a whole number from 0 to ${maxAmountMicrousd}`);
  }
  if (!isTimeZone(timeZone)) throw invalidParameter("time_zone", "the name of a time zone, such as Europe/Berlin");
  if (notify.length > maxThresholds || !notify.every(isPercent)) {
    throw invalidParameter("notify", `up to ${maxThresholds} whole percentages from 1 to ${maxPercent}`);
  }
  if (per === "session" && each !== null && each !== "session") {
    throw invalidParameter("each", "session, or nothing, if the budget is per session");
  }
  const { tag, model, endUser, session } = selector;
  // No request could have it: the budget would never count anything.
  if (tag !== null && !(isTagName(tag.name) && isTagValue(tag.value))) throw invalidParameter("tag", tagForm);
  const texts = [
    ["model", model],
    ["end_user", endUser],
    ["session", session],
  ] as const;
  for (const [field, text] of texts) {
    if (text !== null && (text === "" || text.length > maxTextLength || /[\p{Cc}\p{Cs}]/u.test(text))) {
      throw invalidParameter(field, `1 to ${maxTextLength} characters without control characters`);
    }
  }
}

function isPercent(percent: number): boolean {
  return Number.isInteger(percent) && percent >= 1 && percent <= maxPercent;
}
