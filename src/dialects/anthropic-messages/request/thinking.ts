import { budgetOfEffort, effortOfBudget } from "../../../conversation/effort.ts";
import type { ConversationRequest, ReasoningEffort, ReasoningSettings } from "../../../conversation/request.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { MessagesProfile } from "../quirks.ts";

/** The vendor's least budget, and what must remain for the answer beside it. */
const minBudget = 1_024;

export interface ThinkingPlan {
  readonly thinking?: JsonObject | undefined;
  readonly effort?: string | undefined;
  /** Whether thinking is on: sampling is then the vendor's own, and tools cannot be forced. */
  readonly on: boolean;
  /** Thinking was asked for and cannot be. */
  readonly leftOut: boolean;
}

const off: ThinkingPlan = { on: false, leftOut: false };
const withoutThinking: ThinkingPlan = { on: false, leftOut: true };

/** The thinking fields for a model with these quirks. `maxTokens` bounds a budget. */
export function planThinking(request: ConversationRequest, profile: MessagesProfile, maxTokens: number): ThinkingPlan {
  const { reasoning } = request;
  if (reasoning === undefined || profile.thinking === "none") return off;
  const { enabled, effort, budgetTokens } = reasoning;
  const word = effort === undefined ? undefined : effortWord(effort);
  if (enabled === false) {
    const thinking = profile.alwaysThinks ? undefined : { type: "disabled" };
    return { ...off, thinking, effort: profile.thinking === "adaptive" ? word : undefined };
  }
  if (forcesTool(request)) return withoutThinking;
  return profile.thinking === "budget"
    ? planBudget(request, reasoning, maxTokens)
    : planAdaptive(
        reasoning,
        word ?? (budgetTokens === undefined ? undefined : effortWord(effortOfBudget(budgetTokens))),
      );
}

function planAdaptive({ summary }: ReasoningSettings, effort: string | undefined): ThinkingPlan {
  return { thinking: { type: "adaptive", display: displayOf(summary) }, effort, on: true, leftOut: false };
}

function planBudget(request: ConversationRequest, reasoning: ReasoningSettings, maxTokens: number): ThinkingPlan {
  const { effort, budgetTokens, summary } = reasoning;
  const wanted = Math.max(budgetTokens ?? budgetOfEffort(effort ?? "medium"), minBudget);
  const budget = Math.min(wanted, maxTokens - 1);
  if (budget < minBudget || lacksSignature(request)) return withoutThinking;
  const thinking = { type: "enabled", budget_tokens: budget, display: displayOf(summary) };
  return { thinking, on: true, leftOut: false };
}

function displayOf(summary: ReasoningSettings["summary"]): string | undefined {
  if (summary === undefined) return undefined;
  return summary === "none" ? "omitted" : "summarized";
}

/** The vendor's efforts begin at `low`. */
function effortWord(effort: ReasoningEffort): string {
  return effort === "minimal" ? "low" : effort;
}

function forcesTool({ toolChoice, tools }: ConversationRequest): boolean {
  if (toolChoice === undefined || tools === undefined || tools.length === 0) return false;
  return (
    toolChoice.type === "required" ||
    toolChoice.type === "tool" ||
    (toolChoice.type === "allowed" && toolChoice.mode === "required")
  );
}

/** Within a tool loop, a model that thinks by budget wants its own signed thinking back, or none asked for. */
function lacksSignature({ messages }: ConversationRequest): boolean {
  if (messages.at(-1)?.role !== "tool") return false;
  const turn = messages.findLast(({ role }) => role === "assistant");
  return turn?.parts.every((part) => part.type !== "reasoning" || part.signature?.vendor !== "anthropic") ?? false;
}
