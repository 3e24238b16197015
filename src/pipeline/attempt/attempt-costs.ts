import { charge } from "../../billing/charge.ts";
import type { PriceList } from "../../billing/prices.ts";
import type { Usage } from "../../metering/usage.ts";
import type { RecordAttempt } from "../../records/record.ts";
import type { Attempt } from "./attempt.ts";

export interface AttemptCosts {
  readonly prices: PriceList;
  /** What the attempt that answered consumed, also where its caller pays nothing for it; null where none answered. */
  readonly usage: Usage | null;
  /** A careful figure of the tokens read, for attempts whose provider never said. */
  readonly estimateInput: () => Promise<number>;
}

/**
 * The attempts of a request as its record keeps them, each with what it will have cost the operator at the provider. An
 * attempt that was broken off has cost what was read at least.
 */
export function recordAttempts(
  attempts: readonly Attempt[],
  costs: AttemptCosts,
): readonly RecordAttempt[] | Promise<readonly RecordAttempt[]> {
  const last = attempts.at(-1);
  if (last && attempts.length === 1 && !isEstimated(last, costs)) return [recordAttempt(last, costs, null)];
  if (!attempts.some((attempt) => isEstimated(attempt, costs))) {
    return attempts.map((attempt) => recordAttempt(attempt, costs, null));
  }
  return costs.estimateInput().then((input) => attempts.map((attempt) => recordAttempt(attempt, costs, input)));
}

/** The one whose answer, or the beginning of one, was passed on. */
function isMeasured({ outcome, hasAnswered }: Attempt, { usage }: AttemptCosts): boolean {
  return usage !== null && hasAnswered && outcome !== "lost";
}

function isEstimated(attempt: Attempt, costs: AttemptCosts): boolean {
  return attempt.wasTakenOn && !isMeasured(attempt, costs);
}

function recordAttempt(attempt: Attempt, costs: AttemptCosts, input: number | null): RecordAttempt {
  const { model, target } = attempt.candidate;
  const prices = costs.prices.models[model.pricedAs] ?? null;
  const consumed = isMeasured(attempt, costs)
    ? costs.usage
    : isEstimated(attempt, costs)
      ? tokensRead(input ?? 0)
      : null;
  const usesEstimate = consumed?.measurement.input !== "provider" || consumed.measurement.output !== "provider";
  return {
    model: model.id,
    provider: target.provider.id,
    upstreamModel: target.model,
    outcome: attempt.outcome ?? "cancelled",
    status: attempt.status,
    error: attempt.error,
    latencyMs: Math.round(attempt.latencyMs),
    costMicrousd: consumed === null ? 0 : charge(consumed, prices, costs.prices.version).amountMicrousd,
    cost: consumed === null ? "none" : usesEstimate ? "estimated" : "measured",
  };
}

function tokensRead(tokens: number): Usage {
  return {
    dimensions: [{ name: "input", quantity: tokens, unit: "token" }],
    measurement: { input: "local_estimate", output: "unavailable" },
  };
}
