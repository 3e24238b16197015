import type { Exchange } from "../../dialects/exchange.ts";
import { GatewayError } from "../../errors.ts";
import type { QueuedSlot } from "../../routing/health/concurrency-limiter.ts";
import type { Plan } from "../../routing/choice/plan.ts";
import {
  createRetrySchedule,
  type RetrySchedule,
  type ScheduledCandidate,
  type Step,
} from "../../routing/choice/retry-schedule.ts";
import { isCallerFault } from "../../upstream/fault.ts";
import { withOutputLimit } from "../balance/with-output-limit.ts";
import { noneAvailable } from "../refusals.ts";
import type { Cancellable } from "../request-context.ts";
import type { Services } from "../services.ts";
import type { Answered, Parsed } from "../stages.ts";
import { Attempt } from "./attempt.ts";
import { callerError } from "./caller-error.ts";

/** How long a request may queue for a slot at a provider, in milliseconds. */
const maxQueueMs = 2_000;

/** The inputs for asking the candidates of one request. */
export interface Search {
  readonly services: Services;
  readonly context: Cancellable;
  readonly parsed: Pick<Parsed, "exchange" | "stream" | "answerAlone">;
  readonly plan: Plan;
  /** A lower limit of each answer than the candidates have; null if there is none. */
  readonly maxOutputTokens: number | null;
  /** The caller's deadline, in milliseconds of the steady clock; null if it has none. */
  readonly deadlineAt: number | null;
  /** Every attempt made, in the order in which they began. */
  readonly attempts: Attempt[];
  /** After an attempt whose provider may have done what it was asked for, no other one is asked. */
  readonly endsIfUncertain?: true;
}

type AttemptStep = Extract<Step, { kind: "attempt" | "queue" }>;

/**
 * Asks the candidates of a plan, one after the other, until one answers. Nothing has been sent to the caller yet, so a
 * target's fault leads to the next one, and a fault of the request's own ends it.
 * @throws the caller's error if none answers; the reason of a cancellation
 */
export async function findAnswer(search: Search): Promise<Answered> {
  const { services, context, plan, deadlineAt } = search;
  const { now } = services.callTools;
  const schedule = createRetrySchedule({
    plan,
    startedAt: context.startedTick,
    deadlineAt,
    now,
    random: services.random,
  });
  const { hedgeAfterMs } = plan.destination;
  let queueEndsAt = 0;

  for (let step = schedule.next(); step.kind !== "end"; step = schedule.next()) {
    if (step.kind === "wait") {
      await waitUntil(services, context, step.until);
      continue;
    }
    let slot: QueuedSlot | null = null;
    if (step.kind === "queue") {
      queueEndsAt ||= now() + maxQueueMs;
      slot = await queueForSlot(services, context, step.entry, queueEndsAt);
      if (slot === null) {
        schedule.queueTimedOut(step.entry);
        continue;
      }
    }
    const running = await begin(search, schedule, step, slot);
    if (running === null) continue;
    const attempt =
      hedgeAfterMs === null
        ? await outcomeOf(search, schedule, running)
        : await outcomeOfRace(search, schedule, running, hedgeAfterMs);
    if (attempt !== null) return answeredBy(attempt);
    if (search.endsIfUncertain && running.attempt.isUncertain) break;
  }
  return answerAlone(search, schedule);
}

/** An attempt under way, and the promise of its being decided. */
interface Running {
  readonly attempt: Attempt;
  readonly entry: ScheduledCandidate;
  readonly decided: Promise<void>;
  /** Ends the wait for `decided`. */
  readonly wake: () => void;
}

/**
 * Prepares the request for a candidate and begins the attempt; null if it was skipped, another request was quicker, or it
 * is no longer needed once it is prepared.
 */
function begin(
  search: Search,
  schedule: RetrySchedule,
  step: AttemptStep,
  slot: QueuedSlot | null,
  isNeeded = always,
): Running | null | Promise<Running | null> {
  const { services, context, parsed, maxOutputTokens } = search;
  const { entry } = step;
  schedule.prepare(entry);
  let prepared: ReturnType<Parsed["exchange"]>;
  try {
    prepared = parsed.exchange(withOutputLimit(entry.candidate, maxOutputTokens), services);
  } catch (error) {
    return skip(schedule, entry, slot, error);
  }
  if (!(prepared instanceof Promise)) return beginPrepared(search, schedule, step, slot, isNeeded, prepared);
  // Something may have to be fetched for it, which is abandoned once the request is cancelled.
  return context.unlessCancelled(prepared).then(
    (exchange) => beginPrepared(search, schedule, step, slot, isNeeded, exchange),
    (error: unknown) => skip(schedule, entry, slot, error),
  );
}

const always = () => true;

/** The target's dialect cannot carry the request. Throws an error of the gateway's own. */
function skip(schedule: RetrySchedule, entry: ScheduledCandidate, slot: QueuedSlot | null, error: unknown): null {
  slot?.end();
  if (!(error instanceof GatewayError) || error.status >= 500) throw error;
  schedule.skip(entry, error);
  return null;
}

function beginPrepared(
  { services, parsed, attempts }: Search,
  schedule: RetrySchedule,
  { entry, credential }: AttemptStep,
  slot: QueuedSlot | null,
  isNeeded: () => boolean,
  exchange: Exchange | null,
): Running | null {
  const { candidate } = entry;
  const { health } = candidate.target;
  // From here to the beginning of the attempt nothing is awaited, so that no other request can take the slot.
  slot?.end();
  if (exchange === null) {
    schedule.skip(entry, null);
    return null;
  }
  if (!isNeeded() || health.provider.limiter.isFull || !health.circuit.admits()) {
    schedule.returnUnasked(entry);
    return null;
  }
  schedule.begin(entry, credential);
  const { promise: decided, resolve: wake } = Promise.withResolvers<void>();
  const attempt = new Attempt({
    services,
    candidate,
    exchange,
    credential,
    wantsStream: parsed.stream,
    onDecided: wake,
  });
  attempts.push(attempt);
  return { attempt, entry, decided, wake };
}

/** The attempt if it answered; null if it failed, which the schedule learns. Throws the reason of a cancellation. */
async function outcomeOf(search: Search, schedule: RetrySchedule, running: Running): Promise<Attempt | null> {
  const { context } = search;
  const { attempt } = running;
  context.onCancel = () => {
    attempt.abandon("cancelled");
    running.wake();
  };
  if (context.isCancelled) context.onCancel();
  await running.decided;
  context.onCancel = null;
  context.throwIfCancelled();
  if (attempt.hasAnswered) return attempt;
  failed(search, schedule, running);
  return null;
}

/**
 * Asks a second candidate once the first has been silent for `afterMs`. The first to answer is returned, and the other is
 * ended; null if neither answers.
 */
async function outcomeOfRace(
  search: Search,
  schedule: RetrySchedule,
  first: Running,
  afterMs: number,
): Promise<Attempt | null> {
  const { services, context } = search;
  const { deadlines, callTools } = services;
  const running = new Set([first]);
  const cancelled = Promise.withResolvers<void>();
  const silence = Promise.withResolvers<void>();
  let isSilent = false;
  let isHedged = false;
  let isOver = false;
  /** Resolves when the second attempt has begun or will not; null while none is being prepared. */
  let hedging: Promise<void> | null = null;
  const deadline = deadlines.watch(callTools.now() + afterMs, () => {
    isSilent = true;
    silence.resolve();
  });
  context.onCancel = cancelled.resolve;
  if (context.isCancelled) cancelled.resolve();

  const hedge = async (step: AttemptStep) => {
    const second = await begin(search, schedule, step, null, () => !isOver);
    hedging = null;
    if (second) running.add(second);
    if (!isOver) context.onCancel = cancelled.resolve;
  };

  try {
    while (running.size > 0 || hedging !== null) {
      const awaited = [...running].map(({ decided }) => decided);
      if (hedging !== null) awaited.push(hedging);
      else if (!isHedged) awaited.push(silence.promise);
      await Promise.race([...awaited, cancelled.promise]);
      context.throwIfCancelled();
      for (const each of running) {
        if (each.attempt.hasAnswered) {
          running.delete(each);
          return each.attempt;
        }
        if (each.attempt.outcome === null) continue;
        running.delete(each);
        failed(search, schedule, each);
      }
      if (isHedged || !isSilent || running.size === 0) continue;
      isHedged = true;
      const step = schedule.nextToHedge();
      if (!step) continue;
      hedging = hedge(step);
      // If it fails after the first has answered, the search is over.
      hedging.catch(() => undefined);
    }
    return null;
  } finally {
    isOver = true;
    deadlines.unwatch(deadline);
    context.onCancel = null;
    for (const { attempt } of running) attempt.abandon(context.isCancelled ? "cancelled" : "lost");
  }
}

/** Tells the schedule. Throws the gateway's own refusal of an answer. */
function failed({ services, context }: Search, schedule: RetrySchedule, { attempt, entry }: Running): void {
  const { fault, refusal } = attempt;
  if (refusal !== null) throw refusal;
  if (fault === null) return;
  schedule.failed(entry, fault);
  const fields = { request_id: context.id, provider: attempt.candidate.target.provider.id, fault: fault.kind };
  services.log.debug(fields, fault.message);
}

function answeredBy(attempt: Attempt): Answered {
  const { candidate, exchange, answer } = attempt;
  if (answer === null) throw new Error("An attempt was taken for one that has answered.");
  return { answer, warnings: exchange.warnings, attempt, ...candidate };
}

/** The gateway's own answer if it has one; else throws the caller's error. */
async function answerAlone({ services, parsed, plan }: Search, schedule: RetrySchedule): Promise<Answered> {
  const { failures, skipErrors } = schedule;
  const answer = failures.some(({ fault }) => isCallerFault(fault)) ? null : ((await parsed.answerAlone?.()) ?? null);
  if (answer !== null) {
    const model = plan.candidates[0]?.model ?? null;
    return { answer: { kind: "whole", answer }, warnings: [], attempt: null, model, target: null };
  }
  if (failures.length > 0) throw callerError(failures);
  // Another candidate might accept the request, but is not asked now.
  const [skipError] = skipErrors;
  throw skipError && skipErrors.length === plan.candidates.length
    ? skipError
    : noneAvailable(plan, services.steady.now());
}

/** Resolves at a time of the steady clock. Rejects with the reason if the request is cancelled before. */
async function waitUntil({ deadlines }: Services, context: Cancellable, at: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const deadline = deadlines.watch(at, resolve);
  try {
    await context.unlessCancelled(promise);
  } finally {
    deadlines.unwatch(deadline);
  }
}

/** A slot at the entry's provider, kept until it is taken; null if none came in time. */
async function queueForSlot(
  { deadlines }: Services,
  context: Cancellable,
  { candidate }: ScheduledCandidate,
  until: number,
): Promise<QueuedSlot | null> {
  const slot = candidate.target.health.provider.limiter.queue();
  const late = Promise.withResolvers<boolean>();
  const deadline = deadlines.watch(until, () => late.resolve(false));
  let isGranted = false;
  try {
    isGranted = await context.unlessCancelled(Promise.race([slot.granted, late.promise]));
  } finally {
    deadlines.unwatch(deadline);
    if (!isGranted) slot.end();
  }
  return isGranted ? slot : null;
}
