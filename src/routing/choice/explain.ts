import type { ModelPrices } from "../../billing/prices.ts";
import type { Candidate } from "./candidate.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";
import { estimatedAmount, greatestAmount } from "./cost.ts";
import type { Model } from "../names/model.ts";
import type { Plan } from "./plan.ts";

/** The answer to `POST /api/routes/explain`. */
export interface RouteExplanation {
  readonly object: "route.explanation";
  readonly requested_model: string;
  readonly strategy_name: string;
  /** Whom the request would be put to first; null where nobody could take it now. */
  readonly chosen: { readonly model: string; readonly provider: string | null } | null;
  /** Who could take it, best first. */
  readonly candidates: readonly ExplainedCandidate[];
  readonly excluded: readonly { readonly model: string; readonly provider: string | null; readonly reason: string }[];
  /** Of the chosen one, by an estimate of the tokens; null where there is no price, or nobody is chosen. */
  readonly estimated_amount_microusd: number | null;
  /** Whichever of the candidates answers; null where something has no price, or nothing bounds the answer. */
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

/** A candidate whose dialect cannot carry the request. */
export interface Refused {
  readonly candidate: Candidate;
  readonly reason: string;
}

export interface ExplainFacts {
  readonly askedModel: string;
  readonly expected: ExpectedUsage;
  readonly prices: Readonly<Record<string, ModelPrices>>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly hideProvider: boolean;
}

/** A plan in words, with what keeps each candidate from being asked right now. */
export function explain(plan: Plan, refused: readonly Refused[], facts: ExplainFacts): RouteExplanation {
  const { destination } = plan;
  const nameOf = ({ model, target }: Candidate) => ({
    model: model.id,
    provider: facts.hideProvider ? null : target.provider.id,
  });
  const pricesOf = (model: Model) => facts.prices[model.pricedAs] ?? null;
  const reasons = new Map(refused.map(({ candidate, reason }) => [candidate, reason]));
  const reasonOf = (candidate: Candidate) => reasons.get(candidate) ?? whyNotNow(candidate, facts.now);

  const able = plan.candidates.filter((candidate) => reasonOf(candidate) === null);
  const [chosen] = able;
  const greatest = able.map(({ model }) => greatestAmount(pricesOf(model), facts.expected, model));
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
      estimated_amount_microusd: estimatedAmount(pricesOf(candidate.model), facts.expected, candidate.model),
    })),
    excluded: [
      ...excludedBefore(plan, facts.hideProvider),
      ...plan.candidates.flatMap((candidate) => {
        const reason = reasonOf(candidate);
        return reason === null ? [] : [{ ...nameOf(candidate), reason }];
      }),
    ],
    estimated_amount_microusd: chosen ? estimatedAmount(pricesOf(chosen.model), facts.expected, chosen.model) : null,
    greatest_amount_microusd: greatestOf(greatest),
  };
}

/** What keeps a candidate that could take a request from being asked at this moment. */
function whyNotNow({ target }: Candidate, now: number): string | null {
  const { circuit, provider } = target.health;
  if (!circuit.admits()) {
    const until = circuit.openUntil;
    if (until === null) return "its circuit is half open, and a probe is under way";
    const seconds = Math.max(1, Math.ceil((until - now) / 1000));
    return `its circuit is open for ${seconds} more seconds`;
  }
  if (target.health.pickCredential([]) < 0) return "all credentials of its provider are resting";
  return provider.gate.isFull ? "its provider has as many calls under way as it may" : null;
}

/** A model that is excluded is so by each of its targets. */
function excludedBefore({ destination, excluded }: Plan, hideProvider: boolean): RouteExplanation["excluded"] {
  return excluded.flatMap(({ model, reason }) => {
    const targets = destination.members.find((member) => member.model.id === model)?.model.targets ?? [];
    return targets.map(({ provider }) => ({ model, provider: hideProvider ? null : provider.id, reason }));
  });
}

function greatestOf(amounts: readonly (number | null)[]): number | null {
  let greatest: number | null = null;
  for (const amount of amounts) {
    if (amount === null) return null;
    greatest = Math.max(greatest ?? 0, amount);
  }
  return greatest;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
