import type { BodyCapture } from "../bodies/body-capture.ts";
import { pendingCharge, refundedCharge } from "../billing/charge.ts";
import type { Charge } from "../billing/prices/prices.ts";
import type { Observation } from "../dialects/exchange.ts";
import { type GatewayError, overloaded } from "../errors.ts";
import { keptAnswer } from "../idempotency/kept-answer.ts";
import type { Claim } from "../idempotency/store.ts";
import { estimateTokens } from "../metering/estimate.ts";
import { measure, measured } from "../metering/measure.ts";
import { tokensOf } from "../metering/tokens.ts";
import { nothingUsed, type Usage } from "../metering/usage.ts";
import type { RecordAttempt, UsageRecord } from "../records/record.ts";
import { recordAttempts } from "./attempt/attempt-costs.ts";
import { heldForModel } from "./balance/fund-request.ts";
import { chargeRequest, isCharged, priceBookOf, pricedDimensions, providerAmount } from "./charge-request.ts";
import type { End, FinishedRequest, Progress } from "./finished-request.ts";
import { finishJob } from "./finish-job.ts";
import { logRequest } from "./log-request.ts";
import type { Services } from "./services.ts";
import { costsOf, receiptOf } from "./web-search/search-charges.ts";

/**
 * Ends a request: measures what it consumed, charges it, commits its one record and gives its limits back. Once it
 * resolves the record is durable. Called once for each request, whichever way it ended. Returns what was charged.
 * @throws 503 if the record could not be kept
 */
export async function settle(services: Services, ended: FinishedRequest): Promise<Charge> {
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
      const reading = usageOf(services, finished);
      const reported = reading instanceof Promise ? await reading : reading;
      outcome = outcomeOf(services, finished, reported);
      if (finished.status !== "refused") admission?.correctTokens(tokensOf(outcome.usage));
    } catch (cause) {
      const fields = { request_id: context.id, stack: cause instanceof Error ? cause.stack : String(cause) };
      services.log.error(fields, "a request could not be settled as it ended; its record is kept without its usage");
      outcome = outcomeOf(services, withoutAnswer(finished), nothingUsed, true);
    }
    if (finished.status === "refused") admission?.giveBack();
    const { usage, billing, record } = outcome;
    if (record !== null) {
      if (finished.job !== null) await finished.job.settle(record);
      else await services.recorder.commit(record).catch((cause: unknown) => cannotRecord(services, record, cause));
      const isJob = record.status === "pending";
      const { hold = null, budgetHold = null } = finished.funding ?? {};
      hold?.settle(isJob ? record.heldMicrousd : billing.amountMicrousd);
      if (budgetHold) await (isJob ? budgetHold.keep() : budgetHold.settle(billing.amountMicrousd));
      isKeyUsedUp = isCharged(finished);
      if (context.bodies !== null) keepBodies(services, finished, context.bodies);
    }
    if (finished.isUnlogged !== true) logRequest(services, finished, usage, billing);
    return billing;
  } finally {
    if (claim && isKeyUsedUp) services.idempotency.finish(claim);
    else if (claim) await services.idempotency.release(claim);
    release(services, finished);
  }
}

/** The settlement of a request. It is computed before any part takes effect; if that fails, from fewer facts. */
interface Outcome {
  readonly usage: Usage;
  readonly billing: Charge;
  /** Null if none is kept. */
  readonly record: UsageRecord | null;
}

/** @param isBare the attempts, with their providers' messages, are left out */
function outcomeOf(services: Services, finished: FinishedRequest, reported: Usage, isBare = false): Outcome {
  const { identity, admission, claim } = finished;
  const { usage, billing } = chargeRequest(services, finished, reported);
  if (!identity || !admission || (finished.job === null && !keepsRecord(finished)))
    return { usage, billing, record: null };
  const attempts = isBare ? [] : attemptsOf(services, finished, usage, billing);
  const { id: keyId, accountId } = identity.key;
  const record = recordOf(services, finished, { usage, billing, attempts, keyId, accountId });
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
export function release(
  services: Services,
  { context, hold, admission, deadline, funding, attempts }: Releasable,
): void {
  for (const attempt of attempts) attempt.releaseMemory();
  deadline?.end();
  funding?.hold?.release();
  void funding?.budgetHold?.end();
  if (context.hasRecordRoom) services.recorder.release();
  context.bodies?.release();
  admission?.release();
  hold?.release();
  services.inFlight.remove();
  context.settled();
}

/** Hands the bodies over to be written. Of a stream they have been captured as it went. */
function keepBodies(
  { bodyLog }: Services,
  { context, whole, error, operation }: FinishedRequest,
  bodies: BodyCapture,
): void {
  if (whole !== null) bodies.setAnswer(whole.contentType, whole.body);
  else if (error !== null && !bodies.isStreamed) {
    bodies.setAnswer("application/json", JSON.stringify(operation.errorFormat.errorBody(error, context.id)));
  }
  bodyLog.keep(context.id, bodies);
  context.bodies = null;
}

type Releasable = Pick<FinishedRequest, "context" | "hold" | "admission" | "deadline" | "funding" | "attempts">;

/** The gateway itself has cut the caller off: a failure, and so free. */
function cutShort(finished: FinishedRequest): FinishedRequest {
  return { ...finished, status: "failed", error: overloaded("draining", "The gateway was shut down.", 1) };
}

/** A request refused by a limit, on entry or later, has no record: a caller in a loop must not fill the storage. */
export function keepsRecord({ status, error, isUnlogged }: Pick<End, "status" | "error" | "isUnlogged">): boolean {
  if (isUnlogged === true) return false;
  return status !== "refused" || !(error?.type === "rate_limit_exceeded" || error?.code === "overloaded");
}

/** The caller is told of a failure, so its record is one, and free, once it can be kept. */
function cannotRecord({ log, recorder }: Services, record: UsageRecord, cause: unknown): never {
  log.error({ request_id: record.id, cause: String(cause) }, "a record could not be kept");
  const error = overloaded("storage_unavailable", "The usage of this request could not be recorded.", 5);
  recorder.commitLater(asFailed(record, error, refundedCharge(record.billing.pricingVersion)));
  throw error;
}

/** The record of a request whose answer was not completed. What the caller itself ended stays as it is. */
function asFailed(record: UsageRecord, { type, code }: GatewayError, billing: Charge): UsageRecord {
  if (record.status !== "succeeded" && record.status !== "pending") return record;
  const { idempotent: _, bodies: __, ...plain } = record;
  return { ...plain, status: "failed", error: { type, code }, billing };
}

function usageOf(services: Services, finished: FinishedRequest): Usage | Promise<Usage> {
  const { observation, parsed, operation } = finished;
  if (operation.countsTokens === false) return withoutTokens(observation);
  if (!observation || observation.isPending) return nothingUsed;
  if (parsed?.measure) return parsed.measure(observation, pricedDimensions(services, finished));
  return (
    measured(observation.usage) ??
    measure(observation.usage, {
      input: async () => ({ input: (await parsed?.estimateInput()) ?? 0 }),
      output: async () => ({ output: await estimateProduced(observation) }),
    })
  );
}

/** Of an operation that counts no tokens nothing is estimated either. */
function withoutTokens(observation: Observation | null): Usage {
  const { dimensions } = measured(observation?.usage ?? null) ?? nothingUsed;
  return { dimensions, measurement: null };
}

async function estimateProduced(observation: Observation): Promise<number> {
  const text = observation.producedText();
  const tokens = await estimateTokens(text);
  const { producedLength = text.length } = observation;
  return text.length === 0 ? tokens : Math.round((tokens * producedLength) / text.length);
}

function attemptsOf(services: Services, finished: FinishedRequest, usage: Usage, billing: Charge): RecordAttempt[] {
  const { attempts, observation, parsed, searches, answeredBy } = finished;
  const costs = searches === null ? null : { answeredBy, others: costsOf(searches) };
  const all = searches === null ? attempts : [...attempts, ...searches.flatMap((search) => search.attempts)];
  return recordAttempts(all, {
    prices: priceBookOf(services, finished),
    at: finished.context.startedAt,
    startedTick: finished.context.startedTick,
    answer: observation && { usage, amountMicrousd: providerAmount(services, finished, usage, billing) },
    rounds: costs,
    expectedRead: () => parsed?.expectedUsage().expected ?? {},
  });
}

function recordOf(
  services: Services,
  finished: FinishedRequest,
  known: Pick<UsageRecord, "keyId" | "accountId" | "usage" | "billing" | "attempts">,
): UsageRecord {
  const { context, parsed, plan, attempts, error, observation, answeredBy, firstByteAt } = finished;
  const last = answeredBy ?? (observation === null ? (attempts.at(-1) ?? null) : null);
  const { startedTick } = context;
  const { hold = null, heldMicrousd = null } = finished.funding ?? {};
  const receipt = finished.receipt ?? receiptOf(finished.searches);
  const held = heldMicrousd ?? heldForModel(finished.funding, finished.model) ?? 0;
  return {
    id: context.id,
    heldMicrousd: held,
    ...(hold && { leaseId: hold.leaseId }),
    responseId: storable(observation?.responseId ?? null),
    createdAt: context.startedAt,
    model: parsed?.model ?? "",
    endpoint: context.path,
    stream: parsed?.stream ?? false,
    status: observation?.isPending && finished.status === "succeeded" ? "pending" : finished.status,
    error: error && { type: error.type, code: storable(error.code) },
    ...known,
    attribution: context.attribution,
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
    ...(receipt && { routeReceipt: receipt }),
    ...(context.bodies && { bodies: "kept" as const }),
  };
}

/** The record of a request that begins a job, before a provider is asked. */
export function beginningRecord(services: Services, progress: Progress, jobId: string, answer: string): UsageRecord {
  const { identity, claim } = progress;
  if (identity === null) throw new Error("A job is begun with a key.");
  const observation = { responseId: jobId, usage: null, producedText: () => "", isPending: true } as const;
  const whole = { contentType: "application/json", body: answer };
  const end = {
    status: "succeeded",
    statusCode: 200,
    error: null,
    observation,
    model: null,
    answeredBy: null,
  } as const;
  const finished: FinishedRequest = { ...progress, ...end, firstByteAt: null, whole };
  const { id: keyId, accountId } = identity.key;
  const billing = pendingCharge(priceBookOf(services, finished).version);
  const record = recordOf(services, finished, { usage: nothingUsed, billing, attempts: [], keyId, accountId });
  return claim ? usingUp(record, claim, finished) : record;
}

/** Text from outside in a form that every database can store: bounded, and without NUL characters. */
function storable(text: string | null): string | null {
  return text === null ? null : text.slice(0, 256).replaceAll("\u0000", "");
}

/** The record of a request that has used up its key, with what its repetitions are to be given. */
function usingUp(record: UsageRecord, { idempotencyKey }: Claim, { whole }: FinishedRequest): UsageRecord {
  const answer = whole ? keptAnswer(whole.contentType, whole.body) : null;
  return { ...record, idempotent: { idempotencyKey, answer } };
}
