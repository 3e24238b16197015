import { authenticate } from "../access/authenticate.ts";
import { readCredential } from "../access/credentials.ts";
import { overloaded } from "../errors.ts";
import { watchCallerDeadline } from "./caller-deadline.ts";
import { deliver } from "./delivery/deliver.ts";
import type { Endpoint, EndpointInput } from "./endpoint.ts";
import { findAnswer } from "./attempt/find-answer.ts";
import { tokensToBook } from "../metering/expected-usage.ts";
import { claimOrReplay } from "./idempotent.ts";
import { beginJourney } from "./journey.ts";
import { keeper } from "./keeper.ts";
import { readJsonBody } from "./read-body.ts";
import { refuse } from "./refuse.ts";
import { checkEndpointScope, resolve } from "./resolve.ts";
import { answerHeaders } from "./respond.ts";
import type { Services } from "./services.ts";

/**
 * The path of every billable request: authenticate, limit, parse, resolve, attempt, deliver; measuring and settling
 * happen as the answer passes. Whatever is thrown on the way ends in one place, which answers and keeps the record.
 * `settled` is called once, when the request's record is kept and only its last bytes may still be on their way.
 */
export async function call<Input extends EndpointInput>(
  services: Services,
  endpoint: Endpoint<Input>,
  path: string,
  request: Request,
  settled: () => void,
): Promise<Response> {
  const journey = beginJourney(services, path, request.signal, settled);
  journey.isFree = endpoint.isFree === true;
  let input: Input | null = null;
  const estimateInput = async () => (input ? endpoint.estimateInput(input) : 0);
  try {
    checkOpen(services);
    const credential = readCredential(request.headers, request.url, endpoint.keyHeader);
    const identity = await authenticate(credential, services.keys, services.clock);
    journey.identity = identity;
    const hold = services.capacity.admit(identity.key.id);
    journey.hold = hold;
    journey.admission = services.limits.admit(identity, journey.isFree);
    checkEndpointScope(identity, endpoint.name);
    const deadline = watchCallerDeadline(services, journey, request.headers);

    const body = await readJsonBody(request, services.bodyLimits, services, { hold, deadline });
    const replayed = await claimOrReplay(services, journey, endpoint.voice, { keyId: identity.key.id, request, body });
    if (replayed) return replayed;

    const read = await endpoint.read(body, {
      headers: request.headers,
      url: request.url,
      requestId: journey.id,
      now: journey.startedAt,
      identity,
      responses: services.responses,
    });
    input = read;
    journey.askedModel = read.model;
    journey.stream = read.stream;
    journey.expectedUsage = () => endpoint.expectedUsage(read);
    const plan = await resolve(services, journey, identity, endpoint, read);
    const booksTokens = identity.key.limits.tokensPerMinute !== null && !journey.isFree;
    if (booksTokens) journey.admission.bookTokens(tokensToBook(endpoint.expectedUsage(read), null));

    const answered = await findAnswer(services, journey, endpoint, read, plan);
    const headers = answerHeaders(services, journey, endpoint.voice, answered.warnings);
    const keep = keeper(endpoint, read, journey);
    return await deliver({ services, journey, headers, estimateInput, keep }, answered);
  } catch (error) {
    return await refuse(services, journey, endpoint.voice, error, estimateInput);
  }
}

/** 503 while nothing new can be let in: no provider is called for what could not be finished or recorded. */
function checkOpen({ inFlight, recorder }: Services): void {
  if (inFlight.draining) throw overloaded("draining", "The gateway is shutting down.", 1);
  if (!recorder.hasRoom()) throw overloaded("storage_unavailable", "Usage cannot be recorded at the moment.", 5);
}
