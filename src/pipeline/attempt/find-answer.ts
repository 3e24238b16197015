import type { Exchange } from "../../dialects/exchange.ts";
import { isCallerFault } from "../../upstream/fault.ts";
import type { QueuedSlot } from "../../routing/health/concurrency-limiter.ts";
import type { Plan } from "../../routing/choice/plan.ts";
import { createRetrySchedule, type ScheduledCandidate } from "../../routing/choice/retry-schedule.ts";
import type { TargetAnswer } from "./ask.ts";
import type { Attempt } from "./attempt.ts";
import { callerError } from "./caller-error.ts";
import type { Endpoint, EndpointInput } from "../endpoint.ts";
import { tryHedged } from "./hedge.ts";
import type { Journey } from "../journey.ts";
import { noneAvailable } from "../refusals.ts";
import type { Services } from "../services.ts";
import { type Found, type Search, tryCandidate } from "./try-candidate.ts";
import { waitUntil } from "./wait-until.ts";

/** What a caller gets, and whose it is. */
export interface Answered {
  readonly answer: TargetAnswer;
  readonly warnings: Exchange["warnings"];
  /** Null where the gateway answered by itself. */
  readonly attempt: Attempt | null;
}

/** How long a request may wait for a free place at a provider, in milliseconds. */
const longestQueueMs = 2_000;

/**
 * Asks the candidates of a plan, one after the other, until one answers. Nothing has been sent to the caller yet, so any
 * fault of a target's leads to the next one; a fault of the request's ends it. Throws the caller's error where none answers.
 */
export async function findAnswer<Input extends EndpointInput>(
  services: Services,
  journey: Journey,
  endpoint: Endpoint<Input>,
  input: Input,
  plan: Plan,
): Promise<Answered> {
  const { startedAt, deadlineAt, cancelled } = journey;
  const now = () => services.clock.now();
  const schedule = createRetrySchedule({ plan, startedAt, deadlineAt, now, random: services.random });
  const search: Search<Input> = { services, journey, endpoint, input, schedule };
  const { hedgeAfterMs } = plan.destination;
  let queueEndsAt: number | null = null;

  for (let step = schedule.next(); step.kind !== "end"; step = schedule.next()) {
    if (step.kind === "wait") {
      await waitUntil(services, step.until, cancelled);
      continue;
    }
    const { entry, credential } = step;
    let turn: QueuedSlot | null = null;
    if (step.kind === "queue") {
      queueEndsAt ??= now() + longestQueueMs;
      turn = await queue(services, entry, queueEndsAt, cancelled);
      if (turn === null) {
        schedule.queueTimedOut(entry);
        continue;
      }
    }
    const attemptStep = { kind: "attempt", entry, credential, turn } as const;
    const found = await (hedgeAfterMs === null
      ? tryCandidate(search, attemptStep, cancelled)
      : tryHedged(search, attemptStep, hedgeAfterMs));
    if (found) return answeredBy(journey, found);
  }

  const { failures, skipErrors } = schedule;
  if (endpoint.answerAlone && !failures.some(({ fault }) => isCallerFault(fault))) {
    journey.model = plan.candidates[0]?.model ?? null;
    journey.target = null;
    journey.providerDialect = null;
    const answer: TargetAnswer = { kind: "whole", answer: await endpoint.answerAlone(input) };
    return { answer, warnings: [], attempt: null };
  }
  if (failures.length > 0) throw callerError(failures);
  // What one of them cannot take another one might, which is not to be asked now.
  const [refusal] = skipErrors;
  throw refusal && skipErrors.length === plan.candidates.length ? refusal : noneAvailable(plan, now());
}

function answeredBy(journey: Journey, { attempt, answer, exchange }: Found): Answered {
  journey.model = attempt.candidate.model;
  journey.target = attempt.candidate.target;
  journey.providerDialect = exchange.request.dialect;
  if (answer.kind === "whole") {
    attempt.succeeded();
    journey.upstreamMs = attempt.latencyMs;
  }
  return { answer, warnings: exchange.warnings, attempt };
}

/** A place at the entry's provider, kept until it is taken; null where none came in time. */
async function queue(
  services: Services,
  { candidate }: ScheduledCandidate,
  until: number,
  cancelled: AbortSignal,
): Promise<QueuedSlot | null> {
  const turn = candidate.target.health.provider.limiter.queue();
  const over = new AbortController();
  const late = waitUntil(services, until, AbortSignal.any([cancelled, over.signal])).then(() => false);
  let came = false;
  try {
    came = await Promise.race([turn.granted, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
    if (!came) turn.end();
  }
  return came ? turn : null;
}
