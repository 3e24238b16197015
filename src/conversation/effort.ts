import type { ReasoningEffort, ReasoningSettings } from "./request.ts";

/**
 * What an effort is worth in tokens, for models that take only the other form. Above Anthropic's floor of 1,024; the
 * steps are those of Google's own compatibility layer where it has them.
 */
const budgets: Readonly<Record<ReasoningEffort, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 65_536,
};

export function budgetOfEffort(effort: ReasoningEffort): number {
  return budgets[effort];
}

/** The effort whose budget is nearest below or at this one; `minimal` for less than that. */
export function effortOfBudget(budgetTokens: number): ReasoningEffort {
  let found: ReasoningEffort = "minimal";
  for (const [effort, budget] of Object.entries(budgets) as [ReasoningEffort, number][]) {
    if (budget <= budgetTokens) found = effort;
  }
  return found;
}

/** How the caller means reasoning to be shown: as told, or else as is usual in the caller's dialect. */
export function wantedSummary(reasoning: ReasoningSettings | undefined): ReasoningSettings["summary"] {
  return reasoning?.summary ?? (reasoning?.shownByDefault === true ? "auto" : undefined);
}
