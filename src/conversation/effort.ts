import type { ReasoningEffort, ReasoningSettings } from "./request.ts";

/**
 * Budgets in tokens for efforts, for models that take only the other form. Above Anthropic's floor of 1,024; the
 * steps are those of Google's own compatibility layer if it has them.
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

/** The summary of reasoning that the caller wants: as requested, or else the default of the caller's dialect. */
export function wantedSummary(reasoning: ReasoningSettings | undefined): ReasoningSettings["summary"] {
  return reasoning?.summary ?? (reasoning?.shownByDefault === true ? "auto" : undefined);
}

/**
 * The caller's effort as one that a model supports: the same or the nearest, undefined if the model supports none.
 * `changed` if the caller named an effort that the model does not know.
 */
export function knownEffort(
  reasoning: ReasoningSettings | undefined,
  efforts: readonly string[],
): { readonly value: string | undefined; readonly changed: boolean } {
  if (reasoning === undefined || efforts.length === 0) return { value: undefined, changed: false };
  if (reasoning.enabled === false) return { value: efforts.includes("none") ? "none" : undefined, changed: false };
  const { effort, budgetTokens } = reasoning;
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens));
  if (wanted === undefined || efforts.includes(wanted)) return { value: wanted, changed: false };
  // `minimal` lies below all that is missing here, the others above.
  const value = wanted === "minimal" ? efforts.find((known) => known !== "none") : efforts.at(-1);
  return { value, changed: effort !== undefined };
}
