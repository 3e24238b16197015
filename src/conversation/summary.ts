import type { ReasoningSettings } from "./request.ts";

/** How the caller means reasoning to be shown: as told, or else as is usual in the caller's dialect. */
export function wantedSummary(reasoning: ReasoningSettings | undefined): ReasoningSettings["summary"] {
  return reasoning?.summary ?? (reasoning?.shownByDefault === true ? "auto" : undefined);
}
