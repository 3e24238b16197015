import { authenticate } from "../access/authenticate.ts";
import { readCredential } from "../access/credentials.ts";
import { overloaded } from "../errors.ts";
import { attempt } from "./attempt.ts";
import { deliver } from "./deliver.ts";
import type { Endpoint, EndpointInput } from "./endpoint.ts";
import { beginJourney } from "./journey.ts";
import { readJsonBody } from "./read-body.ts";
import { refuse } from "./refuse.ts";
import { checkEndpointScope, resolveModel } from "./resolve.ts";
import { answerHeaders } from "./respond.ts";
import type { Services } from "./services.ts";

/**
 * The path of every billable request: authenticate, limit, parse, resolve, attempt, deliver; measuring and settling
 * happen as the answer passes. Whatever is thrown on the way ends in one place, which answers and keeps the record.
 * `bodyArrived` is told when the caller has said all, so that the server lifts its own time limit.
 */
export async function call<Input extends EndpointInput>(
  services: Services,
  endpoint: Endpoint<Input>,
  request: Request,
  bodyArrived: () => void,
): Promise<Response> {
  const journey = beginJourney(services, endpoint.path, request.signal);
  let input: Input | null = null;
  const estimateInput = async () => (input ? endpoint.estimateInput(input) : 0);
  try {
    checkOpen(services);
    const credential = readCredential(request.headers, request.url, endpoint.keyHeader);
    const identity = await authenticate(credential, services.keys, services.clock);
    journey.admission = services.limits.admit(identity);
    journey.identity = identity;
    checkEndpointScope(identity, endpoint.name);

    const body = await readJsonBody(request, services.bodyLimits, services);
    bodyArrived();
    input = endpoint.read(body);
    journey.askedModel = input.model;
    journey.stream = input.stream;
    journey.model = resolveModel(services.catalog, identity, endpoint.name, input.model);
    endpoint.checkModel(input, journey.model);
    if (identity.key.limits.tokensPerMinute !== null) journey.admission.bookTokens(endpoint.bookTokens(input));

    const answered = await attempt(services, journey, endpoint, input, journey.model);
    const headers = answerHeaders(journey, answered.exchange.warnings);
    return await deliver({ services, journey, voice: endpoint.voice, headers, estimateInput }, answered);
  } catch (error) {
    return await refuse(services, journey, endpoint.voice, error, estimateInput);
  }
}

/** 503 while nothing new can be let in: no provider is called for what could not be finished or recorded. */
function checkOpen({ inFlight, recorder }: Services): void {
  if (inFlight.draining) throw overloaded("draining", "The gateway is shutting down.", 1);
  if (!recorder.hasRoom()) throw overloaded("storage_unavailable", "Usage cannot be recorded at the moment.", 5);
}
