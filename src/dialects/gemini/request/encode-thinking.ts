import { budgetOfEffort, effortOfBudget, wantedSummary } from "../../../conversation/effort.ts";
import type { FieldName } from "../../../conversation/fields/fields.ts";
import type { ReasoningEffort, ReasoningSettings } from "../../../conversation/request.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { GeminiProfile, ThinkingLevel } from "../quirks.ts";

/** `thinkingConfig` for a model, and the field whose value had to change for it. */
export interface EncodedThinking {
  readonly config: JsonObject | undefined;
  readonly changed: FieldName | null;
}

const nothing: EncodedThinking = { config: undefined, changed: null };

export function encodeThinking(
  reasoning: ReasoningSettings | undefined,
  thinking: GeminiProfile["thinking"],
): EncodedThinking {
  if (reasoning === undefined || thinking.by === "nothing") return nothing;
  const { config, changed } =
    thinking.by === "level" ? levelOf(reasoning, thinking.levels) : budgetOf(reasoning, thinking);
  const summary = wantedSummary(reasoning);
  const shown = summary === undefined ? {} : { includeThoughts: summary !== "none" };
  const whole = { ...config, ...shown };
  return { config: Object.keys(whole).length === 0 ? undefined : whole, changed };
}

const ladder: readonly ThinkingLevel[] = ["MINIMAL", "LOW", "MEDIUM", "HIGH"];

const levels: Readonly<Record<ReasoningEffort, ThinkingLevel>> = {
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** The level asked for, or the next one up that the model has. */
function levelOf(reasoning: ReasoningSettings, known: readonly ThinkingLevel[]): EncodedThinking {
  const { enabled, effort, budgetTokens } = reasoning;
  // These models always think. A request without reasoning gets a warning and the minimum.
  if (enabled === false) return { config: { thinkingLevel: known[0] }, changed: "reasoning.disabled" };
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens));
  if (wanted === undefined) return nothing;
  const level = levels[wanted];
  const found = known.find((candidate) => ladder.indexOf(candidate) >= ladder.indexOf(level)) ?? known.at(-1);
  const changed = effort !== undefined && found?.toLowerCase() !== effort;
  return { config: { thinkingLevel: found }, changed: changed ? "reasoning.effort" : null };
}

/** A budget within the model's limits. */
function budgetOf(
  reasoning: ReasoningSettings,
  { minBudget, maxBudget, canDisable }: Extract<GeminiProfile["thinking"], { by: "budget" }>,
): EncodedThinking {
  const { enabled, effort, budgetTokens } = reasoning;
  if (enabled === false) {
    return {
      config: { thinkingBudget: canDisable ? 0 : minBudget },
      changed: canDisable ? null : "reasoning.disabled",
    };
  }
  const wanted = budgetTokens ?? (effort === undefined ? undefined : budgetOfEffort(effort));
  if (wanted === undefined) return enabled === true ? { config: { thinkingBudget: -1 }, changed: null } : nothing;
  const thinkingBudget = Math.min(maxBudget, Math.max(minBudget, wanted));
  const changed = budgetTokens !== undefined && thinkingBudget !== budgetTokens;
  return { config: { thinkingBudget }, changed: changed ? "reasoning.budget" : null };
}
