import { charge } from "../../billing/charge.ts";
import type { PriceBook } from "../../billing/prices/price-book.ts";
import { listDimensions, type Quantities } from "../../dimensions.ts";
import type { Usage } from "../../metering/usage.ts";
import type { RecordAttempt } from "../../records/record.ts";
import type { Attempt } from "./attempt.ts";
import { faultClassOf } from "./attempt-fault.ts";
import { wordsOf } from "./provider-words.ts";

export interface AttemptCosts {
  readonly prices: PriceBook;
  /** When the request began, in milliseconds since 1970. */
  readonly at: number;
  /** The same by the clock of the process, which attempts are timed by. */
  readonly startedTick: number;
  /** Usage and cost of the answer that was passed on, also if its caller pays nothing; null if there was none. */
  readonly answer: { readonly usage: Usage; readonly amountMicrousd: number } | null;
  /** Of an answer of several rounds: the attempt that counts as its first, and what other answers have cost. Null otherwise. */
  readonly rounds: {
    readonly answeredBy: Attempt | null;
    readonly others: ReadonlyMap<Attempt, number>;
  } | null;
  /** Quick estimates of the input, for attempts whose provider reported none. */
  readonly expectedRead: () => Quantities;
}

/** Most requests have one attempt, which began within so many milliseconds: its start says nothing. */
const minStartMs = 20;

/**
 * The attempts of a request as its record keeps them, in the order in which they began, each with what it will have cost the operator at the provider. An
 * attempt that was broken off has cost what was read at least.
 */
export function recordAttempts(attempts: readonly Attempt[], costs: AttemptCosts): RecordAttempt[] {
  const inOrder = attempts.toSorted((one, other) => one.startedTick - other.startedTick);
  const isAlone = inOrder.length === 1;
  return inOrder.map((attempt) => {
    const { model, target } = attempt.candidate;
    const startedMs = Math.max(0, Math.round(attempt.startedTick - costs.startedTick));
    return {
      model: model.id,
      provider: target.provider.id,
      upstreamModel: target.model,
      outcome: attempt.outcome ?? "cancelled",
      status: attempt.status,
      error: faultClassOf(attempt),
      words: wordsOf(attempt),
      startedMs: isAlone && startedMs < minStartMs ? null : startedMs,
      latencyMs: Math.round(attempt.latencyMs),
      ...costOf(attempt, costs),
    };
  });
}

function costOf(attempt: Attempt, costs: AttemptCosts): Pick<RecordAttempt, "costMicrousd" | "cost"> {
  const { answer, prices, rounds } = costs;
  if (rounds && attempt.hasAnswered && attempt !== rounds.answeredBy) {
    return { costMicrousd: rounds.others.get(attempt) ?? 0, cost: "measured" };
  }
  if (answer && attempt.hasAnswered && attempt.outcome !== "lost") {
    const { measurement } = answer.usage;
    const isMeasured = measurement === null || (measurement.input === "provider" && measurement.output === "provider");
    return { costMicrousd: answer.amountMicrousd, cost: isMeasured ? "measured" : "estimated" };
  }
  if (!attempt.wasTakenOn) return { costMicrousd: 0, cost: "none" };
  const modelPrices = prices.pricesOf(attempt.candidate.model, attempt.candidate.target);
  const facts = { at: costs.at, serviceTier: null, providerCost: null };
  const { amountMicrousd } = charge(estimatedUsage(costs.expectedRead()), modelPrices, prices.version, facts);
  return { costMicrousd: amountMicrousd, cost: "estimated" };
}

function estimatedUsage(quantities: Quantities): Usage {
  return {
    dimensions: listDimensions(quantities),
    measurement: { input: "local_estimate", output: "unavailable" },
  };
}
