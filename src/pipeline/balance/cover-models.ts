import type { Budget } from "../../billing/budgets/budget.ts";
import type { BudgetHold, ModelBudget } from "../../billing/budgets/budgets.ts";
import type { GatewayError } from "../../errors.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import type { Plan } from "../../routing/choice/plan.ts";
import type { Parsed } from "../stages.ts";
import { costBound } from "./cost-bound.ts";
import { budgetExceeded } from "./hold-budgets.ts";
import { boundless } from "./insufficient-balance.ts";

/** How the budgets of single models cover a request that other models may serve too. */
interface ModelCover {
  /** What is to be held of each. */
  readonly ofModels: readonly ModelBudget[];
  /**
   * What was held, and which models are left out.
   * @throws 402 if no model is left; nothing is held then
   */
  by(hold: BudgetHold): {
    readonly heldByModel: ReadonlyMap<string, number>;
    readonly uncoveredModels: ReadonlySet<string> | null;
  };
}

/**
 * Of each budget, what the request can cost at its model is to be held, and no more than is held of all models. A model whose
 * budgets do not cover that is left out, and so is one whose cost has no bound.
 */
export function coverModels(
  { plan, parsed }: { readonly plan: Plan; readonly parsed: Parsed },
  budgets: readonly Budget[],
  markupBasisPoints: number,
  heldMicrousd: number | null,
): ModelCover {
  const ofModels: ModelBudget[] = [];
  const heldByModel = new Map<string, number>();
  const reasons = new Map<string, () => GatewayError>();
  const isOf = (id: string | null) => (candidate: Candidate) => candidate.model.id === id;
  for (const budget of budgets) {
    const { model } = budget;
    if (model === null) continue;
    const candidates = plan.candidates.filter(isOf(model));
    const bound = costBound({
      ...plan,
      candidates,
      usage: parsed.expectedUsage(),
      markupBasisPoints,
      searchPrices: plan.searchPrices,
    });
    if ("lacks" in bound) reasons.set(model, () => boundless(bound));
    else {
      const amountMicrousd = Math.min(bound.maxMicrousd, heldMicrousd ?? Infinity);
      ofModels.push({ budget, amountMicrousd });
      heldByModel.set(model, amountMicrousd);
    }
  }
  return {
    ofModels,
    by(hold) {
      for (const exceeded of hold.uncovered) {
        const { model } = exceeded.budget;
        if (model !== null) reasons.set(model, () => budgetExceeded(exceeded, heldByModel.get(model) ?? 0));
      }
      if (reasons.size === 0) return { heldByModel, uncoveredModels: null };
      const [reason] = reasons.values();
      if (reason && plan.candidates.every(({ model }) => reasons.has(model.id))) {
        void hold.end();
        throw reason();
      }
      return { heldByModel, uncoveredModels: new Set(reasons.keys()) };
    },
  };
}
