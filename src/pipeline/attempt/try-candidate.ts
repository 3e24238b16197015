import type { Exchange } from "../../dialects/exchange.ts";
import { GatewayError } from "../../errors.ts";
import type { QueuedSlot } from "../../routing/health/concurrency-limiter.ts";
import type { RetrySchedule, Step } from "../../routing/choice/retry-schedule.ts";
import type { Provider } from "../../upstream/provider.ts";
import { asUpstreamFault } from "./answer-events.ts";
import { ask, type TargetAnswer } from "./ask.ts";
import { type Attempt, beginAttempt } from "./attempt.ts";
import type { Endpoint, EndpointInput } from "../endpoint.ts";
import type { Journey } from "../journey.ts";
import type { Services } from "../services.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** One request on its way to whoever answers it. */
export interface Search<Input extends EndpointInput> {
  readonly services: Services;
  readonly journey: Journey;
  readonly endpoint: Endpoint<Input>;
  readonly input: Input;
  readonly schedule: RetrySchedule;
}

/** The answer of one candidate, and the attempt that brought it. */
export interface Found {
  readonly attempt: Attempt;
  readonly exchange: Exchange;
  readonly answer: TargetAnswer;
}

/** Whom to ask. A place that was waited for is kept until it is taken, or is given up. */
export type AttemptStep = Extract<Step, { kind: "attempt" }> & { readonly turn: QueuedSlot | null };

/**
 * Asks one candidate, and tells the search what came of it. Null where it did not answer. Throws what ends the request
 * itself: the caller's leaving, its deadline, a fault of the gateway's.
 * @param cancelled ends this attempt; where it is not the request's own signal, another attempt was quicker
 */
export async function tryCandidate<Input extends EndpointInput>(
  search: Search<Input>,
  { entry, credential, turn }: AttemptStep,
  cancelled: AbortSignal,
): Promise<Found | null> {
  const { services, journey, schedule, input } = search;
  const { candidate } = entry;
  const { provider, health } = candidate.target;
  schedule.prepare(entry);
  let exchange: Awaited<ReturnType<typeof prepare>>;
  try {
    exchange = await prepare(search, entry.candidate);
  } finally {
    // From here to the beginning of the attempt nothing is waited for, so that nobody else can take the place.
    turn?.end();
  }
  if (exchange === null || exchange instanceof GatewayError) {
    schedule.skip(entry, exchange);
    return null;
  }
  if (health.provider.limiter.isFull || !health.circuit.admits()) {
    // Someone else was quicker while the request was prepared.
    schedule.returnUnasked(entry);
    return null;
  }
  schedule.begin(entry, credential);
  const attempt = beginAttempt(services.clock, candidate, credential);
  journey.attempts.push(attempt);
  journey.target = candidate.target;
  journey.providerDialect = exchange.request.dialect;
  const isRace = cancelled !== journey.cancelled;
  const lose = () => attempt.abandoned(journey.cancelled.aborted ? "cancelled" : "lost");
  if (isRace) cancelled.addEventListener("abort", lose, { once: true });
  const leash = leashFor(provider, cancelled);
  try {
    const apiKey = health.provider.apiKeys[credential] ?? null;
    const answer = await ask(
      services,
      { exchange, provider, apiKey, wantsStream: input.stream, cancelled: leash.signal },
      attempt,
    );
    attempt.answered();
    return { attempt, exchange, answer };
  } catch (error) {
    if (journey.cancelled.aborted) attempt.abandoned("cancelled");
    // The caller has left or its time is up: nobody waits for another target.
    if (journey.cancelled.aborted) throw journey.cancelled.reason;
    if (attempt.outcome === "lost") return null;
    const fault = toFault(error, attempt);
    attempt.failed(fault);
    schedule.failed(entry, fault);
    const fields = { request_id: journey.id, provider: provider.id, fault: fault.kind };
    services.log.debug(fields, fault.message);
    return null;
  } finally {
    if (isRace) cancelled.removeEventListener("abort", lose);
    leash.letGo();
  }
}

/**
 * What ends the call to a provider until it has answered. Where the rest of an answer is to be read though its caller has
 * left, the answer's delivery decides from then on.
 */
function leashFor({ onCallerAbort }: Provider, cancelled: AbortSignal) {
  if (onCallerAbort === "cancel") return { signal: cancelled, letGo() {} };
  const controller = new AbortController();
  const end = () => controller.abort(cancelled.reason);
  cancelled.addEventListener("abort", end, { once: true });
  if (cancelled.aborted) end();
  return { signal: controller.signal, letGo: () => cancelled.removeEventListener("abort", end) };
}

/** The request as it is put to one candidate; the 400 that says why it cannot be; null where it has no answer to this. */
async function prepare<Input extends EndpointInput>(
  { endpoint, input, services, journey }: Search<Input>,
  { target, model }: Attempt["candidate"],
): Promise<Exchange | GatewayError | null> {
  try {
    // Something may have to be fetched for it, which nobody waits for once the caller has left or its time is up.
    return await unlessAborted(endpoint.exchange(input, target, model, services), journey.cancelled);
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) return error;
    throw error;
  }
}

/** What went wrong, as a fault of the target's. What is the gateway's own is thrown on, and is nobody else's fault. */
function toFault(error: unknown, attempt: Attempt) {
  try {
    return asUpstreamFault(error);
  } catch (unforeseen) {
    attempt.abandoned("cancelled");
    throw unforeseen;
  }
}
