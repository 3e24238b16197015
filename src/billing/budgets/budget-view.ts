import type { Actor, NewChange } from "../../changes/change.ts";
import type { Budget } from "./budget.ts";
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

/** What an operator has set, and when in Unix seconds. */
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

/** A budget as operators see it: what they have set, and what was spent of it. */
export function operatorBudgetView(state: BudgetState) {
  return { ...budgetView(state.budget), ...budgetStateView(state) };
}

/** The entry of the audit trail for a budget that is set, maybe in place of others, which have ids of their own. */
export function budgetSet(budget: Budget, replaced: readonly Budget[], by: Actor): NewChange {
  const created: NewChange = {
    by,
    kind: "budget",
    id: budget.id,
    action: "create",
    before: null,
    after: fieldsOf(budget),
  };
  const [before] = replaced;
  if (before === undefined) return created;
  return { ...created, action: "replace", before: { id: before.id, ...fieldsOf(before) } };
}

export function budgetRemoved(budget: Budget, by: Actor): NewChange {
  return { by, kind: "budget", id: budget.id, action: "remove", before: fieldsOf(budget), after: null };
}

function fieldsOf(budget: Budget): object {
  const { object: _object, id: _id, ...fields } = budgetView(budget);
  return fields;
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
