import type { Candidate } from "../../routing/choice/candidate.ts";

/** A candidate that writes at most so many tokens for this request; as it is if that is not limited. */
export function withOutputLimit(candidate: Candidate, maxOutputTokens: number | null): Candidate {
  if (maxOutputTokens === null) return candidate;
  const { target, model } = candidate;
  const own = Math.min(model.maxOutputTokens ?? maxOutputTokens, maxOutputTokens);
  return { target, model: { ...model, maxOutputTokens: own, imposesOutputLimit: true } };
}
