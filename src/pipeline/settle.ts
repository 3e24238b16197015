import { charge, freeCharge, refundedCharge } from "../billing/charge.ts";
import type { Charge } from "../billing/prices.ts";
import { overloaded } from "../errors.ts";
import { estimateTokens } from "../metering/estimate.ts";
import { measure } from "../metering/measure.ts";
import { tokensOf } from "../metering/tokens.ts";
import { nothingUsed, type Usage } from "../metering/usage.ts";
import type { UsageRecord } from "../records/record.ts";
import { usingUp } from "./idempotent.ts";
import { recordAttempts } from "./attempt/attempt-costs.ts";
import { logRequest } from "./log-request.ts";
import type { Journey } from "./journey.ts";
import { leave } from "./leave.ts";
import type { Outcome } from "./outcome.ts";
import type { Services } from "./services.ts";

/**
 * Ends a request: measures what it consumed, charges it, commits its one record and gives its limits back. Once it
 * resolves the record is durable. Every way a request can end comes here, and only the first call counts.
 */
export async function settle(services: Services, journey: Journey, ended: Outcome): Promise<void> {
  if (journey.settled) return;
  journey.settled = true;
  journey.forgetDeadline?.();
  const outcome = services.inFlight.isCutShort && ended.status === "cancelled" ? cutShort(ended) : ended;
  const { identity, admission, claim } = journey;
  let isKeyUsedUp = false;
  try {
    const usage = await usageOf(outcome);
    if (admission) {
      if (outcome.status === "refused") admission.giveBack();
      else admission.correctTokens(tokensOf(usage));
    }
    const billing = chargeOf(services, journey, outcome, usage);
    if (identity && admission && keepsRecord(outcome)) {
      const attempts = recordAttempts(journey.attempts, {
        prices: services.prices,
        answer: outcome.observation && { usage, amountMicrousd: amountOf(services, journey, outcome, usage, billing) },
        expectedRead: () => journey.expectedUsage?.().expected ?? {},
      });
      const record = recordOf(services, journey, outcome, { usage, billing, attempts, keyId: identity.key.id });
      await commit(services, claim && isCharged(outcome) ? usingUp(record, claim, outcome) : record);
      isKeyUsedUp = isCharged(outcome);
    }
    logRequest(services, journey, outcome, usage, billing);
  } finally {
    if (claim && isKeyUsedUp) services.idempotency.finish(claim);
    else if (claim) await services.idempotency.release(claim);
    leave(services, journey);
  }
}

/** The gateway itself has cut the caller off: a failure, and so free. */
function cutShort(outcome: Outcome): Outcome {
  return { ...outcome, status: "failed", error: overloaded("draining", "The gateway was shut down.", 1) };
}

/** What a limit turned away, on entry or later, leaves no record: a caller in a loop must not fill the storage. */
function keepsRecord({ status, error }: Outcome): boolean {
  const isOverload = status === "refused" && error?.code === "overloaded";
  return error?.type !== "rate_limit_exceeded" && !isOverload;
}

async function commit(services: Services, record: UsageRecord): Promise<void> {
  try {
    await services.recorder.commit(record);
  } catch (cause) {
    services.log.error({ request_id: record.id, cause: String(cause) }, "a record could not be kept");
    throw overloaded("storage_unavailable", "The usage of this request could not be recorded.", 5);
  }
}

function usageOf({ observation, estimateInput }: Outcome): Usage | Promise<Usage> {
  if (!observation) return nothingUsed;
  return measure(observation.usage, {
    input: async () => ({ input: await estimateInput() }),
    output: async () => ({ output: await estimateTokens(observation.producedText()) }),
  });
}

/** Failures are free; the caller's own abort is charged for what was produced. */
function isCharged({ observation, status }: Outcome): boolean {
  return observation !== null && (status === "succeeded" || status === "cancelled");
}

function chargeOf(services: Services, journey: Journey, outcome: Outcome, usage: Usage): Charge {
  const { version, models } = services.prices;
  if (!isCharged(outcome) || !journey.model) return refundedCharge(version);
  if (journey.isFree) return freeCharge(version);
  return charge(usage, models[journey.model.pricedAs] ?? null, version);
}

/** What an answer comes to, whether its caller pays for it or not. */
function amountOf(
  { prices }: Services,
  { model }: Journey,
  outcome: Outcome,
  usage: Usage,
  { amountMicrousd }: Charge,
): number {
  if (isCharged(outcome) || !model) return amountMicrousd;
  return charge(usage, prices.models[model.pricedAs] ?? null, prices.version).amountMicrousd;
}

function recordOf(
  services: Services,
  journey: Journey,
  outcome: Outcome,
  settled: Pick<UsageRecord, "usage" | "billing" | "attempts" | "keyId">,
): UsageRecord {
  const { error, observation, status } = outcome;
  const answered = observation !== null;
  const now = services.clock.now();
  return {
    id: journey.id,
    responseId: storable(observation?.responseId ?? null),
    createdAt: journey.startedAt,
    model: journey.askedModel,
    endpoint: journey.path,
    stream: journey.stream,
    status,
    error: error && { type: error.type, code: storable(error.code) },
    ...settled,
    routing: {
      strategyName: journey.plan?.destination.strategyName ?? "direct",
      resolvedModel: answered ? (journey.model?.id ?? null) : null,
      provider: journey.target?.provider.id ?? null,
      statusCode: outcome.statusCode,
      latencyMs: now - journey.startedAt,
      timeToFirstByteMs: journey.firstByteAt === null ? null : journey.firstByteAt - journey.startedAt,
      upstreamMs: journey.upstreamMs,
      attempts: journey.attempts.length,
    },
    providerUsage: journey.providerDialect && {
      family: journey.providerDialect,
      rawFields: observation?.usage?.raw ?? {},
    },
  };
}

/** A word from outside in a form every database keeps: bounded, and without NUL characters. */
function storable(text: string | null): string | null {
  return text === null ? null : text.slice(0, 256).replaceAll("\u0000", "");
}
