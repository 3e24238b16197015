import type { Budget } from "./budget.ts";
import { periodAt } from "./budget-period.ts";
import type { BudgetStore } from "./budget-store.ts";
import type { BudgetState } from "./budgets.ts";

/** Reads what was spent of a budget in its current period; nothing if it is set for each of something. */
export async function readState(
  store: Pick<BudgetStore, "counter">,
  budget: Budget,
  now: number,
): Promise<BudgetState> {
  const period = periodAt(budget, now);
  const key = { budgetId: budget.id, startsAt: period.startsAt, subject: "" };
  return { budget, period, counter: budget.each === null ? await store.counter(key) : null };
}

/** Reads what was spent of many budgets in their current periods. */
export async function readStates(
  store: Pick<BudgetStore, "sharedCounters">,
  budgets: readonly Budget[],
  now: number,
): Promise<BudgetState[]> {
  const shared = budgets.filter(({ each }) => each === null).map(({ id }) => id);
  const counters = new Map((await store.sharedCounters(shared, now)).map((counter) => [counter.budgetId, counter]));
  return budgets.map((budget) => {
    const period = periodAt(budget, now);
    const none = { budgetId: budget.id, startsAt: period.startsAt, subject: "", spentMicrousd: 0, heldMicrousd: 0 };
    return { budget, period, counter: budget.each === null ? (counters.get(budget.id) ?? none) : null };
  });
}
