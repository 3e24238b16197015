import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import type { Identity } from "../access/identity.ts";
import { GatewayError, invalidParameter } from "../errors.ts";
import { readModelName } from "../dialects/fields/model-name.ts";
import { newRequestId } from "../identifiers.ts";
import type { JsonObject } from "../json/values.ts";
import { readJsonObject } from "../json/read-object.ts";
import type { Operation, OperationInput, ReadContext, RequestBody } from "../operations/operation.ts";
import { readBody } from "../pipeline/read-body.ts";
import { checkEndpointScope, planRequest } from "../pipeline/plan-request.ts";
import { urlOf } from "../pipeline/request-context.ts";
import { noCandidate } from "../pipeline/refusals.ts";
import type { Services } from "../pipeline/services.ts";
import { type Parsed, ParsedRequest } from "../pipeline/stages.ts";
import { explain, type SkippedCandidate } from "../routing/choice/explain.ts";
import type { Candidate } from "../routing/choice/candidate.ts";
import type { Plan } from "../routing/choice/plan.ts";
import type { FetchMedia } from "../upstream/fetch-media.ts";
import type { ServerExchange } from "../server/exchange.ts";
import { identify } from "./keyed.ts";
import { queryOf, type Visit } from "./visit.ts";

/**
 * `POST /api/routes/explain?endpoint=chat`: the candidates for a request, which are left out and why, and what it would
 * cost. The body is that of the endpoint. No provider is called, nothing is recorded, and no turn passes. It counts as one
 * request of its key, refused or not.
 */
export async function explainRoute({ services, request }: Visit): Promise<Answer> {
  const identity = await identify(services, request);
  const admission = services.limits.admit(identity);
  try {
    return await explained(services, request, identity);
  } finally {
    admission.release();
  }
}

/** @param given the body to explain, in JSON; that of the request if null */
export async function explained(
  services: Services,
  request: ServerExchange,
  identity: Identity,
  given: JsonObject | null = null,
): Promise<Answer> {
  const endpoint = queryOf(request.target).get("endpoint") ?? "chat";
  const operations = explainable(services);
  const operation = operations.get(endpoint);
  if (!operation) throw invalidParameter("endpoint", `one of ${[...operations.keys()].join(", ")}`);
  checkEndpointScope(identity, endpoint);
  if (given !== null && operation.body !== "json") throw invalidParameter("endpoint", "one that takes JSON");
  const hold = services.capacity.admit(identity.key.id);
  try {
    const body: RequestBody = given
      ? { kind: "json", text: JSON.stringify(given) }
      : await readBody(services, null, request, operation.body, hold);
    const rehearsal = inBody(operation, body, contextOf(services, request, identity, hold));
    const parsed = new ParsedRequest(operation, await operation.read(rehearsal.body, rehearsal.context));
    return await explainRequest(services, identity, parsed);
  } finally {
    hold.release();
  }
}

/** By endpoint, the first operation that serves it and is billed. */
function explainable({ dialects }: Services): ReadonlyMap<string, Operation<OperationInput>> {
  const billable = dialects.all.flatMap(({ operations }) => operations).filter(({ isFree }) => !isFree);
  return new Map(billable.toReversed().map((operation) => [operation.endpoint, operation]));
}

/** A model that stands in the path of an operation stands in the body here, as everywhere else. */
function inBody({ paths }: Operation<OperationInput>, body: RequestBody, context: ReadContext) {
  const [path] = paths;
  if (!path?.includes("{model+}") || body.kind !== "json") return { body, context };
  const { model, ...rest } = readJsonObject(body.text, new Set()).body;
  const url = urlOf(path.replace("{model+}", encodeURIComponent(readModelName(model))));
  return { body: { kind: "json" as const, text: JSON.stringify(rest) }, context: { ...context, url } };
}

function contextOf(
  services: Services,
  request: ServerExchange,
  identity: Identity,
  hold: ReadContext["hold"],
): ReadContext {
  const now = services.clock.now();
  return {
    headers: request.headers,
    url: urlOf(request.target),
    requestId: newRequestId(now),
    now,
    identity,
    responses: services.responses,
    files: services.files,
    hold,
    videos: services.videos,
  };
}

async function explainRequest(services: Services, identity: Identity, parsed: Parsed): Promise<Answer> {
  const plan = visibleTo(identity, await planRequest(services, identity, parsed, true));
  const skipped: SkippedCandidate[] = [];
  for (const candidate of plan.candidates) {
    const reason = await whyNot(services, parsed, candidate);
    if (reason !== null) skipped.push({ candidate, reason });
  }
  const explanation = explain(plan, skipped, {
    askedModel: parsed.model,
    expected: parsed.expectedUsage(),
    now: services.steady.now(),
    at: services.clock.now(),
    hideProvider: services.hideProvider,
  });
  return jsonAnswer(explanation);
}

/** A plan without the models that a caller may not use. Throws a 403 if it may use none; operators see all of it. */
function visibleTo({ key }: Identity, plan: Plan): Plan {
  if (key.admin) return plan;
  const excluded = plan.excluded.filter(({ error }) => error.type !== "permission_error");
  if (plan.candidates.length === 0 && excluded.length === 0) throw noCandidate(plan);
  return { ...plan, excluded };
}

/** In place of what would be fetched from the addresses in a request: nobody is called. It is the beginning of an image. */
const fetchNothing: FetchMedia = async (sources) =>
  new Map(sources.map(({ url }) => [url, { mediaType: "image/png", base64: "iVBORw0KGgo=" }]));

/** The reason why a request cannot be put to a candidate's dialect; null if it can. */
async function whyNot({ dialects, media }: Services, parsed: Parsed, candidate: Candidate): Promise<string | null> {
  try {
    const exchange = await parsed.exchange(candidate, { dialects, fetchMedia: fetchNothing, media });
    return exchange === null ? "its provider has no such operation" : null;
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) return naming(error);
    throw error;
  }
}

/** The message of an error with the field at fault, which callers otherwise find in `param`. */
function naming({ message, param }: GatewayError): string {
  return param === null || message.includes(`'${param}'`) ? message : `'${param}': ${message}`;
}
