import { type Budget, type BudgetFacts, subjectOf } from "../../billing/budgets/budget.ts";
import { endless } from "../../billing/budgets/budget-period.ts";
import { describeBudget } from "../../billing/budgets/describe-budget.ts";
import type { BudgetHold, BudgetRequest, Budgets, ExceededBudget } from "../../billing/budgets/budgets.ts";
import { formatUsd } from "../../billing/usd.ts";
import { GatewayError, overloaded } from "../../errors.ts";

/** The budgets that concern one request. */
export interface RequestBudgets {
  /** Those that concern it whatever serves it. */
  readonly hard: readonly Budget[];
  /** Those that concern it if their model serves it, which is not the name that was asked for. */
  readonly hardOfModels: readonly Budget[];
  /** Whether one of the soft ones is spent. */
  readonly isSpent: boolean;
}

/** @param known the budgets of the request's key */
export function budgetsOf(
  budgets: Pick<Budgets, "isSpent">,
  known: readonly Budget[],
  facts: BudgetFacts,
  startedAt: number,
): RequestBudgets {
  const hard: Budget[] = [];
  const hardOfModels: Budget[] = [];
  let isSpent = false;
  for (const budget of known) {
    const subject = subjectOf(budget, facts);
    if (subject === null) continue;
    const isOfAny = budget.model === null || budget.model === facts.model;
    if (budget.kind === "hard") (isOfAny ? hard : hardOfModels).push(budget);
    // A model that is only fallen back to is no reason for a warning.
    else if (isOfAny || budget.model === facts.servedBy[0]) isSpent ||= budgets.isSpent(budget, subject, startedAt);
  }
  return { hard, hardOfModels, isSpent };
}

/** @throws 402 `budget_exceeded` if one that has to does not cover its amount, 503 if the storage does not answer */
export async function holdBudgets(budgets: Pick<Budgets, "hold">, request: BudgetRequest): Promise<BudgetHold> {
  const held = await budgets.hold(request).catch(() => {
    throw overloaded("storage_unavailable", "The budgets of this request cannot be read at the moment.", 5);
  });
  if ("budget" in held) throw budgetExceeded(held, request.amountMicrousd);
  return held;
}

export function budgetExceeded({ budget, period, leftMicrousd }: ExceededBudget, neededMicrousd: number): GatewayError {
  const left = formatUsd(Math.max(0, leftMicrousd));
  const reset =
    period.endsAt === endless ? "It does not reset." : `It resets at ${new Date(period.endsAt).toISOString()}.`;
  return GatewayError.of(
    "budget_exceeded",
    `The budget ${budget.id} (${describeBudget(budget)}) does not cover this request: ${left} USD left, ${formatUsd(neededMicrousd)} USD needed. ${reset}`,
  );
}
