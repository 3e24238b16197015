import { charge, freeCharge, refundedCharge } from "../billing/charge.ts";
import type { Charge } from "../billing/prices.ts";
import type { Observation } from "../dialects/exchange.ts";
import { overloaded } from "../errors.ts";
import { estimateTokens } from "../metering/estimate.ts";
import { measure } from "../metering/measure.ts";
import { tokensOf } from "../metering/tokens.ts";
import { nothingUsed, type Usage } from "../metering/usage.ts";
import type { UsageRecord } from "../records/record.ts";
import { recordAttempts } from "./attempt/attempt-costs.ts";
import type { FinishedRequest } from "./finished-request.ts";
import { usingUp } from "./idempotent.ts";
import { logRequest } from "./log-request.ts";
import type { Services } from "./services.ts";

/**
 * Ends a request: measures what it consumed, charges it, commits its one record and gives its limits back. Once it
 * resolves the record is durable. Called once for each request, whichever way it ended.
 * @throws 503 if the record could not be kept
 */
export async function settle(services: Services, ended: FinishedRequest): Promise<void> {
  const { context, identity, admission, claim } = ended;
  context.isSettled = true;
  context.onCancel = null;
  const finished = services.inFlight.isCutShort && ended.status === "cancelled" ? cutShort(ended) : ended;
  let isKeyUsedUp = false;
  try {
    const reading = usageOf(finished);
    const usage = reading instanceof Promise ? await reading : reading;
    if (finished.status === "refused") admission?.giveBack();
    else admission?.correctTokens(tokensOf(usage));
    const billing = chargeOf(services, finished, usage);
    if (identity && admission && keepsRecord(finished)) {
      const record = recordOf(services, finished, usage, billing, identity.key.id);
      await commit(services, claim && isCharged(finished) ? usingUp(record, claim, finished) : record);
      isKeyUsedUp = isCharged(finished);
    }
    logRequest(services, finished, usage, billing);
  } finally {
    if (claim && isKeyUsedUp) services.idempotency.finish(claim);
    else if (claim) await services.idempotency.release(claim);
    release(services, finished);
  }
}

/** A request has ended: what it held while it ran is others' again. */
export function release(services: Services, { context, hold, admission, deadline }: Releasable): void {
  deadline?.end();
  admission?.release();
  hold?.release();
  services.inFlight.remove();
  context.settled();
}

type Releasable = Pick<FinishedRequest, "context" | "hold" | "admission" | "deadline">;

/** The gateway itself has cut the caller off: a failure, and so free. */
function cutShort(finished: FinishedRequest): FinishedRequest {
  return { ...finished, status: "failed", error: overloaded("draining", "The gateway was shut down.", 1) };
}

/** What a limit turned away, on entry or later, leaves no record: a caller in a loop must not fill the storage. */
function keepsRecord({ status, error }: FinishedRequest): boolean {
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

function usageOf({ observation, parsed }: FinishedRequest): Usage | Promise<Usage> {
  if (!observation) return nothingUsed;
  return measure(observation.usage, {
    input: async () => ({ input: (await parsed?.estimateInput()) ?? 0 }),
    output: async () => ({ output: await estimateProduced(observation) }),
  });
}

async function estimateProduced(observation: Observation): Promise<number> {
  const text = observation.producedText();
  const tokens = await estimateTokens(text);
  const { producedLength = text.length } = observation;
  return text.length === 0 ? tokens : Math.round((tokens * producedLength) / text.length);
}

/** Failures are free; the caller's own abort is charged for what was produced. */
function isCharged({ observation, status }: FinishedRequest): boolean {
  return observation !== null && (status === "succeeded" || status === "cancelled");
}

function chargeOf({ prices }: Services, finished: FinishedRequest, usage: Usage): Charge {
  const { version, models } = prices;
  if (!isCharged(finished) || !finished.model) return refundedCharge(version);
  if (finished.operation.isFree) return freeCharge(version);
  return charge(usage, models[finished.model.pricedAs] ?? null, version);
}

/** What an answer comes to, whether its caller pays for it or not. */
function amountOf({ prices }: Services, finished: FinishedRequest, usage: Usage, { amountMicrousd }: Charge): number {
  const { model } = finished;
  if (isCharged(finished) || !model) return amountMicrousd;
  return charge(usage, prices.models[model.pricedAs] ?? null, prices.version).amountMicrousd;
}

function recordOf(
  services: Services,
  finished: FinishedRequest,
  usage: Usage,
  billing: Charge,
  keyId: string,
): UsageRecord {
  const { context, parsed, plan, attempts, error, observation, answeredBy, firstByteAt } = finished;
  const last = answeredBy ?? (observation === null ? (attempts.at(-1) ?? null) : null);
  const { startedTick } = context;
  return {
    id: context.id,
    responseId: storable(observation?.responseId ?? null),
    createdAt: context.startedAt,
    model: parsed?.model ?? "",
    endpoint: context.path,
    stream: parsed?.stream ?? false,
    status: finished.status,
    error: error && { type: error.type, code: storable(error.code) },
    keyId,
    usage,
    billing,
    attempts: recordAttempts(attempts, {
      prices: services.prices,
      answer: observation && { usage, amountMicrousd: amountOf(services, finished, usage, billing) },
      expectedRead: () => parsed?.expectedUsage().expected ?? {},
    }),
    routing: {
      strategyName: plan?.destination.strategyName ?? "direct",
      resolvedModel: observation === null ? null : (finished.model?.id ?? null),
      provider: last?.candidate.target.provider.id ?? null,
      statusCode: finished.statusCode,
      latencyMs: Math.round(services.steady.now() - startedTick),
      timeToFirstByteMs: firstByteAt === null ? null : Math.round(firstByteAt - startedTick),
      upstreamMs: answeredBy === null ? null : Math.round(answeredBy.latencyMs),
      attempts: attempts.length,
    },
    providerUsage: last && {
      family: last.exchange.request.dialect,
      rawFields: observation?.usage?.raw ?? {},
    },
  };
}

/** A word from outside in a form every database keeps: bounded, and without NUL characters. */
function storable(text: string | null): string | null {
  return text === null ? null : text.slice(0, 256).replaceAll("\u0000", "");
}
