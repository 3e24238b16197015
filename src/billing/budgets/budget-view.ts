import { type Budget } from "./budget.ts";
import { endless } from "./budget-period.ts";
import type { BudgetState } from "./budgets.ts";

/** The requests that a budget concerns, as callers and operators see it: only what it selects by. */
export function budgetScope({ accountId, keyId, model, tag, endUser, session, each }: Budget) {
  return {
    ...(accountId !== null && { account: accountId }),
    ...(keyId !== null && { key: keyId }),
    ...(model !== null && { model }),
    ...(tag !== null && { tag: { [tag.name]: tag.value } }),
    ...(endUser !== null && { end_user: endUser }),
    ...(session !== null && { session }),
    ...(each !== null && { each }),
  };
}

/** A budget with what was spent and is held in its period; these are null if each end user or session has its own. */
export function budgetStateView({ budget, period, counter }: BudgetState) {
  return {
    id: budget.id,
    scope: budgetScope(budget),
    amount_microusd: budget.amountMicrousd,
    spent_microusd: counter === null ? null : counter.spentMicrousd,
    held_microusd: counter === null ? null : counter.heldMicrousd,
    per: budget.per,
    kind: budget.kind,
    resets_at: period.endsAt === endless ? null : Math.floor(period.endsAt / 1000),
  };
}
