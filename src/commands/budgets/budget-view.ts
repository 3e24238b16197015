import type { Budget } from "../../billing/budgets/budget.ts";
import { budgetScope } from "../../billing/budgets/budget-view.ts";

/** A budget as `--json` prints it. */
export function budgetView(budget: Budget) {
  const { id, amountMicrousd, per, timeZone, kind, notify, createdAt } = budget;
  return {
    object: "budget",
    id,
    scope: budgetScope(budget),
    amount_microusd: amountMicrousd,
    per,
    time_zone: timeZone,
    kind,
    notify,
    created_at: Math.floor(createdAt / 1000),
  };
}
