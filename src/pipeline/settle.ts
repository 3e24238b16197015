import { boundUsage, type UsageBounds } from "../billing/bound-usage.ts";
import { charge, type ChargeFacts, freeCharge, pendingCharge, refundedCharge } from "../billing/charge.ts";
import { chargingRuleOf, chargingRules, type Pays } from "../billing/charging-rules.ts";
import type { PriceBook } from "../billing/price-book.ts";
import type { Charge, ModelPrices } from "../billing/prices.ts";
import { readProviderCost } from "../billing/provider-cost.ts";
import { splitUsage } from "../billing/split-usage.ts";
import type { Observation } from "../dialects/exchange.ts";
import { overloaded } from "../errors.ts";
import { keptAnswer } from "../idempotency/kept-answer.ts";
import type { Claim } from "../idempotency/store.ts";
import { estimateTokens } from "../metering/estimate.ts";
import type { Writing } from "../metering/expected-usage.ts";
import { measure, measured } from "../metering/measure.ts";
import { tokensOf } from "../metering/tokens.ts";
import { nothingUsed, type Usage } from "../metering/usage.ts";
import type { RecordAttempt, UsageRecord } from "../records/record.ts";
import { recordAttempts } from "./attempt/attempt-costs.ts";
import type { End, FinishedRequest } from "./finished-request.ts";
import { finishJob } from "./finish-job.ts";
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
    const job = finished.observation?.finishedJob;
    if (job && identity) await finishJob(services, identity.key.id, job);
    let outcome: Outcome;
    try {
      const reading = usageOf(finished);
      const usage = reading instanceof Promise ? await reading : reading;
      outcome = outcomeOf(services, finished, usage);
      if (finished.status !== "refused") admission?.correctTokens(tokensOf(usage));
    } catch (cause) {
      const fields = { request_id: context.id, stack: cause instanceof Error ? cause.stack : String(cause) };
      services.log.error(fields, "a request could not be settled as it ended; its record is kept without its usage");
      outcome = outcomeOf(services, withoutAnswer(finished), nothingUsed, true);
    }
    if (finished.status === "refused") admission?.giveBack();
    const { usage, billing, record } = outcome;
    if (record !== null) {
      await services.recorder.commit(record).catch((cause: unknown) => cannotRecord(services, record, cause));
      isKeyUsedUp = isCharged(finished);
    }
    if (finished.isUnlogged !== true) logRequest(services, finished, usage, billing);
  } finally {
    if (claim && isKeyUsedUp) services.idempotency.finish(claim);
    else if (claim) await services.idempotency.release(claim);
    release(services, finished);
  }
}

/** What a request came to. It is made before anything of it takes effect: if it cannot be, it is made from less. */
interface Outcome {
  readonly usage: Usage;
  readonly billing: Charge;
  /** Null if none is kept. */
  readonly record: UsageRecord | null;
}

/** @param isBare the attempts, with what their providers said, are left out */
function outcomeOf(services: Services, finished: FinishedRequest, measuredUsage: Usage, isBare = false): Outcome {
  const { identity, admission, claim, observation } = finished;
  const possible = boundUsage(measuredUsage, boundsOf(finished, measuredUsage));
  const usage = splitUsage(possible, observation?.usage?.parts, pricesOf(services, finished));
  const charged = chargeOf(services, finished, usage);
  const billing: Charge = possible === measuredUsage ? charged : { ...charged, isSuspect: true };
  if (!identity || !admission || !keepsRecord(finished)) return { usage, billing, record: null };
  const attempts = isBare ? [] : attemptsOf(services, finished, usage, billing);
  const record = recordOf(services, finished, { usage, billing, attempts, keyId: identity.key.id });
  return { usage, billing, record: claim && isCharged(finished) ? usingUp(record, claim, finished) : record };
}

/** The same end with nothing in it that the provider chose. */
function withoutAnswer(finished: FinishedRequest): FinishedRequest {
  const { observation } = finished;
  if (observation === null) return finished;
  const nothing = { responseId: null, usage: null, producedText: () => "" };
  return { ...finished, observation: observation.isPending ? { ...nothing, isPending: true } : nothing, whole: null };
}

/** A request has ended: what it held while it ran is others' again. */
export function release(services: Services, { context, hold, admission, deadline }: Releasable): void {
  deadline?.end();
  if (context.hasRecordRoom) services.recorder.release();
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
export function keepsRecord({ status, error }: Pick<End, "status" | "error">): boolean {
  return status !== "refused" || !(error?.type === "rate_limit_exceeded" || error?.code === "overloaded");
}

function cannotRecord({ log }: Services, { id }: UsageRecord, cause: unknown): never {
  log.error({ request_id: id, cause: String(cause) }, "a record could not be kept");
  throw overloaded("storage_unavailable", "The usage of this request could not be recorded.", 5);
}

function usageOf({ observation, parsed }: FinishedRequest): Usage | Promise<Usage> {
  if (!observation || observation.isPending) return nothingUsed;
  return (
    measured(observation.usage) ??
    measure(observation.usage, {
      input: async () => ({ input: (await parsed?.estimateInput()) ?? 0 }),
      output: async () => ({ output: await estimateProduced(observation) }),
    })
  );
}

async function estimateProduced(observation: Observation): Promise<number> {
  const text = observation.producedText();
  const tokens = await estimateTokens(text);
  const { producedLength = text.length } = observation;
  return text.length === 0 ? tokens : Math.round((tokens * producedLength) / text.length);
}

/**
 * What the model that answered can have read, and what it was let write, as far as a provider's count can contradict it:
 * a local estimate contradicts nothing.
 */
function boundsOf({ model, parsed }: FinishedRequest, { measurement }: Usage): UsageBounds {
  if (!model) return noBounds;
  const { contextLength, maxOutputTokens } = model;
  return {
    input: measurement.input === "provider" ? contextLength : null,
    output:
      measurement.output === "provider" ? maxWritten(parsed?.writing ?? null, contextLength, maxOutputTokens) : null,
  };
}

const noBounds: UsageBounds = { input: null, output: null };

/** Tokens of all answers at most: the limit that was sent, else all that the model can hold; null if neither is known. */
function maxWritten(writing: Writing | null, contextLength: number | null, own: number | null): number | null {
  if (writing === null) return null;
  const limit = writing.maxTokens === null ? contextLength : Math.min(writing.maxTokens, own ?? Infinity);
  return limit === null ? null : limit * writing.answers;
}

function paysOf({ status, observation, operation }: FinishedRequest): Pays {
  const end = { status, hasAnswer: observation !== null, isJob: observation?.isPending === true };
  return chargingRules[chargingRuleOf({ ...end, isFree: operation.isFree === true })].pays;
}

/** Whether the request has used up what it was asked with: its `Idempotency-Key`, its price. */
function isCharged(finished: FinishedRequest): boolean {
  return paysOf(finished) !== "nothing";
}

/** The price list that the request was planned with: what has changed since does not touch it. */
function bookOf({ prices }: Services, { plan }: FinishedRequest): PriceBook {
  return plan?.prices ?? prices.current;
}

/** The prices of the model that answered, at the target that did; null if there are none. */
function pricesOf(services: Services, finished: FinishedRequest): ModelPrices | null {
  const { model, answeredBy } = finished;
  const target = answeredBy?.candidate.target ?? model?.targets[0];
  return model && target ? bookOf(services, finished).pricesOf(model, target) : null;
}

function factsOf({ context, observation }: FinishedRequest, prices: ModelPrices | null): ChargeFacts {
  const usage = observation?.usage ?? null;
  return {
    at: context.startedAt,
    serviceTier: usage?.serviceTier ?? null,
    providerCost: usage && prices?.isProviderCost ? readProviderCost(usage.raw) : null,
  };
}

function chargeOf(services: Services, finished: FinishedRequest, usage: Usage): Charge {
  const { version } = bookOf(services, finished);
  const pays = paysOf(finished);
  if (pays === "later") return pendingCharge(version);
  if (pays === "nothing" || !finished.model) return refundedCharge(version);
  if (pays === "free") return freeCharge(version);
  const prices = pricesOf(services, finished);
  return charge(usage, prices, version, factsOf(finished, prices));
}

/** What an answer comes to, whether its caller pays for it or not. */
function amountOf(services: Services, finished: FinishedRequest, usage: Usage, { amountMicrousd }: Charge): number {
  if (isCharged(finished) || !finished.model) return amountMicrousd;
  const prices = pricesOf(services, finished);
  return charge(usage, prices, 0, factsOf(finished, prices)).amountMicrousd;
}

function attemptsOf(services: Services, finished: FinishedRequest, usage: Usage, billing: Charge): RecordAttempt[] {
  const { attempts, observation, parsed } = finished;
  return recordAttempts(attempts, {
    prices: bookOf(services, finished),
    at: finished.context.startedAt,
    answer: observation && { usage, amountMicrousd: amountOf(services, finished, usage, billing) },
    expectedRead: () => parsed?.expectedUsage().expected ?? {},
  });
}

function recordOf(
  services: Services,
  finished: FinishedRequest,
  known: Pick<UsageRecord, "keyId" | "usage" | "billing" | "attempts">,
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
    status: observation?.isPending && finished.status === "succeeded" ? "pending" : finished.status,
    error: error && { type: error.type, code: storable(error.code) },
    ...known,
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

/** The record of a request that has used up its key, with what its repetitions are to be given. */
function usingUp(record: UsageRecord, { idempotencyKey }: Claim, { whole }: FinishedRequest): UsageRecord {
  const answer = whole ? keptAnswer(whole.contentType, whole.body) : null;
  return { ...record, idempotent: { idempotencyKey, answer } };
}
