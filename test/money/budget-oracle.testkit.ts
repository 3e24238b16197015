import type { Budget } from "../../src/billing/budgets/budget.ts";
import { tagText } from "../../src/billing/budgets/budget.ts";
import { periodAt } from "../../src/billing/budgets/budget-period.ts";
import type { UsageRecord } from "../../src/records/record.ts";

/** What counters and events must come to, worked out from records and holds alone, without the product's selectors. */

/** What one running request holds of one budget. */
export interface ExpectedHold {
  readonly budgetId: string;
  readonly record: UsageRecord;
  /** The models that may serve it. */
  readonly servedBy: readonly string[];
  amount: number;
}

/** One counter as it must be. */
export interface ExpectedCounter {
  readonly startsAt: number;
  readonly subject: string;
  spent: number;
  held: number;
  /** The part of `spent` for which nothing was held of this budget. */
  unheld: number;
}

export interface ExpectedEvent {
  readonly budget: string;
  readonly subject: string;
  readonly startsAt: number;
  readonly percent: number;
}

/** Whose counter a record belongs to, by the names of its models; null if the budget does not concern it. */
function whose(budget: Budget, record: UsageRecord, models: readonly (string | null)[]): string | null {
  const { accountId, keyId, attribution } = record;
  const tags = JSON.parse(attribution.tags ?? "{}") as Record<string, string>;
  const pairs = [
    [budget.accountId, accountId],
    [budget.keyId, keyId],
    [budget.endUser, attribution.endUser],
    [budget.session, attribution.session],
    [budget.tag && tagText(budget.tag), budget.tag && tagText({ ...budget.tag, value: tags[budget.tag.name] ?? "" })],
  ] as const;
  if (budget.model !== null && !models.includes(budget.model)) return null;
  if (pairs.some(([wanted, found]) => wanted !== null && wanted !== found)) return null;
  if (budget.each === "end_user") return attribution.endUser;
  if (budget.each === "session") return attribution.session;
  return budget.each === "key" ? keyId : "";
}

/** A name for the period that an instant is in, by the calendar of the budget's time zone. */
function calendarName({ per, timeZone }: Budget, instant: number): string {
  if (per === "total" || per === "session") return "always";
  const date = new Date(instant).toLocaleDateString("en-CA", { timeZone });
  if (per === "day") return date;
  if (per === "month") return date.slice(0, 7);
  const days = Date.parse(date) / 86_400_000;
  // 1970-01-05 was a Monday.
  return `week ${Math.floor((days - 4) / 7)}`;
}

/**
 * The counters of a budget.
 * @param records the final ones that are in the storage
 * @param since when the budget was set
 * @param isKept whether there are counters for the period that begins then, though it was over when the budget was set: a
 * process has looked at it since the clock was set back
 */
export function expectedCounters(
  budget: Budget,
  since: number,
  records: Iterable<UsageRecord>,
  holds: readonly ExpectedHold[],
  wereHeld: ReadonlySet<string>,
  isKept: (startsAt: number) => boolean = () => false,
): ExpectedCounter[] {
  const counters = new Map<string, ExpectedCounter>();
  const first = periodAt(budget, since).startsAt;
  const of = (record: UsageRecord, servedBy: readonly (string | null)[]): ExpectedCounter | null => {
    const subject = whose(budget, record, [record.model, ...servedBy]);
    if (subject === null) return null;
    const { startsAt } = periodAt(budget, record.createdAt);
    // Mostly nobody asks what was spent in periods that were over before the budget was set.
    if (record.createdAt < first && !isKept(startsAt)) return null;
    const name = `${calendarName(budget, record.createdAt)} ${subject}`;
    const counter = counters.get(name) ?? { startsAt, subject, spent: 0, held: 0, unheld: 0 };
    if (counter.startsAt !== startsAt) throw new Error(`Two periods of ${budget.id} have the name ${name}.`);
    counters.set(name, counter);
    return counter;
  };
  for (const record of records) {
    const counter = of(record, [record.routing.resolvedModel]);
    if (counter === null) continue;
    counter.spent += record.billing.amountMicrousd;
    if (!wereHeld.has(`${budget.id} ${record.id}`)) counter.unheld += record.billing.amountMicrousd;
  }
  for (const { budgetId, record, servedBy, amount } of holds) {
    if (budgetId !== budget.id) continue;
    const counter = of(record, servedBy);
    if (counter !== null) counter.held += amount;
  }
  return [...counters.values()];
}

/** The events that a budget has led to: one for each of its percentages that was reached. */
export function expectedEvents(budget: Budget, counters: readonly ExpectedCounter[]): ExpectedEvent[] {
  return counters.flatMap(({ spent, startsAt, subject }) =>
    budget.notify
      .filter((percent) => budget.amountMicrousd > 0 && spent > 0 && spent * 100 >= budget.amountMicrousd * percent)
      .map((percent) => ({ budget: budget.id, subject, startsAt, percent })),
  );
}
