import { type Budget, type BudgetFacts, subjectOf } from "../../billing/budgets/budget.ts";
import { endless } from "../../billing/budgets/budget-period.ts";
import { describeBudget } from "../../billing/budgets/describe-budget.ts";
import type { BudgetHold, Budgets, ExceededBudget } from "../../billing/budgets/budgets.ts";
import { formatUsd } from "../../billing/usd.ts";
import { GatewayError, overloaded } from "../../errors.ts";

/** A request as far as budgets are concerned. */
export interface FundedRequest {
  readonly requestId: string;
  readonly startedAt: number;
  readonly facts: BudgetFacts;
}

/** The budgets that concern one request. */
export interface RequestBudgets {
  readonly hard: readonly Budget[];
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
  let isSpent = false;
  for (const budget of known) {
    const subject = subjectOf(budget, facts);
    if (subject === null) continue;
    if (budget.kind === "hard") hard.push(budget);
    else isSpent ||= budgets.isSpent(budget, subject, startedAt);
  }
  return { hard, isSpent };
}

/** @throws 402 `budget_exceeded` if one of them does not cover the amount, 503 if the storage does not answer */
export async function holdBudgets(
  budgets: Pick<Budgets, "hold">,
  { requestId, startedAt, facts }: FundedRequest,
  hard: readonly Budget[],
  amountMicrousd: number,
): Promise<BudgetHold> {
  const request = { requestId, startedAt, budgets: hard, facts, amountMicrousd };
  const held = await budgets.hold(request).catch(() => {
    throw overloaded("storage_unavailable", "The budgets of this request cannot be read at the moment.", 5);
  });
  if ("budget" in held) throw exceeded(held, amountMicrousd);
  return held;
}

function exceeded({ budget, period, leftMicrousd }: ExceededBudget, neededMicrousd: number): GatewayError {
  const left = formatUsd(Math.max(0, leftMicrousd));
  const reset =
    period.endsAt === endless ? "It does not reset." : `It resets at ${new Date(period.endsAt).toISOString()}.`;
  return GatewayError.of(
    "budget_exceeded",
    `The budget ${budget.id} (${describeBudget(budget)}) does not cover this request: ${left} USD left, ${formatUsd(neededMicrousd)} USD needed. ${reset}`,
  );
}
