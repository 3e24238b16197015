import type { Candidate } from "./candidate.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";
import { estimatedAmount, maxAmount } from "./cost.ts";
import type { Plan } from "./plan.ts";

/** The answer to `POST /api/routes/explain`. */
export interface RouteExplanation {
  readonly object: "route.explanation";
  readonly requested_model: string;
  readonly strategy_name: string;
  /** The candidate that would be asked first; null if none could be asked now. */
  readonly chosen: { readonly model: string; readonly provider: string | null } | null;
  /** Candidates that could be asked now, best first. */
  readonly candidates: readonly ExplainedCandidate[];
  readonly excluded: readonly { readonly model: string; readonly provider: string | null; readonly reason: string }[];
  /** For the chosen candidate, from an estimate of the tokens; null if it has no price or none is chosen. */
  readonly estimated_amount_microusd: number | null;
  /** The highest over all candidates; null if one has no price or its output has no bound. */
  readonly greatest_amount_microusd: number | null;
}

interface ExplainedCandidate {
  readonly model: string;
  readonly provider: string | null;
  readonly state: string;
  readonly in_flight: number;
  readonly latency_ms: number | null;
  readonly estimated_amount_microusd: number | null;
}

/** A candidate whose dialect cannot express the request. */
export interface SkippedCandidate {
  readonly candidate: Candidate;
  readonly reason: string;
}

export interface ExplainFacts {
  readonly askedModel: string;
  readonly expected: ExpectedUsage;
  /** By the clock of the plan's health, in milliseconds. */
  readonly now: number;
  /** When the request would begin, in milliseconds since 1970. */
  readonly at: number;
  readonly hideProvider: boolean;
}

/** Describes a plan, with the reason why each unavailable candidate cannot be asked now. */
export function explain(plan: Plan, skipped: readonly SkippedCandidate[], facts: ExplainFacts): RouteExplanation {
  const { destination } = plan;
  const nameOf = ({ model, target }: Candidate) => ({
    model: model.id,
    provider: facts.hideProvider ? null : target.provider.id,
  });
  const pricesOf = ({ model, target }: Candidate) => plan.prices.pricesOf(model, target);
  const estimateOf = (candidate: Candidate) => {
    return estimatedAmount(pricesOf(candidate), facts.expected, candidate.model, facts.at);
  };
  const reasons = new Map(skipped.map(({ candidate, reason }) => [candidate, reason]));
  const reasonOf = (candidate: Candidate) => reasons.get(candidate) ?? whyNotNow(candidate, facts.now);

  const able = plan.candidates.filter((candidate) => reasonOf(candidate) === null);
  const [chosen] = able;
  const amounts = able.map((candidate) => maxAmount(pricesOf(candidate), facts.expected, candidate.model));
  return {
    object: "route.explanation",
    requested_model: facts.askedModel,
    strategy_name: destination.strategyName,
    chosen: chosen ? nameOf(chosen) : null,
    candidates: able.map((candidate) => ({
      ...nameOf(candidate),
      state: candidate.target.health.circuit.state,
      in_flight: candidate.target.health.inFlight,
      latency_ms: rounded(candidate.target.health.latency.last),
      estimated_amount_microusd: estimateOf(candidate),
    })),
    excluded: [
      ...excludedBefore(plan, facts.hideProvider),
      ...plan.candidates.flatMap((candidate) => {
        const reason = reasonOf(candidate);
        return reason === null ? [] : [{ ...nameOf(candidate), reason }];
      }),
    ],
    estimated_amount_microusd: chosen ? estimateOf(chosen) : null,
    greatest_amount_microusd: maxOf(amounts),
  };
}

/** The reason why a candidate cannot be asked at this moment; null if it can. */
function whyNotNow({ target }: Candidate, now: number): string | null {
  const { circuit, provider } = target.health;
  if (!circuit.admits()) {
    const until = circuit.openUntil;
    if (until === null) return "its circuit is half open and a probe is in flight";
    const seconds = Math.max(1, Math.ceil((until - now) / 1000));
    return `its circuit is open for ${seconds} more ${seconds === 1 ? "second" : "seconds"}`;
  }
  if (target.health.pickCredential([]) < 0) return "all credentials of its provider are paused";
  return provider.limiter.isFull ? "its provider is at its limit of concurrent calls" : null;
}

/** Excluded models, one entry for each target. */
function excludedBefore({ destination, excluded }: Plan, hideProvider: boolean): RouteExplanation["excluded"] {
  return excluded.flatMap(({ model, reason }) => {
    const targets = destination.members.find((member) => member.model.id === model)?.model.targets ?? [];
    return targets.map(({ provider }) => ({ model, provider: hideProvider ? null : provider.id, reason }));
  });
}

function maxOf(amounts: readonly (number | null)[]): number | null {
  let max: number | null = null;
  for (const amount of amounts) {
    if (amount === null) return null;
    max = Math.max(max ?? 0, amount);
  }
  return max;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
