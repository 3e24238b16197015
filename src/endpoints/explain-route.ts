import type { Identity } from "../access/identity.ts";
import { GatewayError, invalidParameter } from "../errors.ts";
import { readModelName } from "../dialects/model-name.ts";
import { newRequestId } from "../identifiers.ts";
import { readJsonObject } from "../json/read-object.ts";
import type { Endpoint, EndpointInput, ReadContext } from "../pipeline/endpoint.ts";
import { readJsonBody } from "../pipeline/read-body.ts";
import { checkEndpointScope, planRequest } from "../pipeline/resolve.ts";
import type { Services } from "../pipeline/services.ts";
import { explain, type Refused } from "../routing/choice/explain.ts";
import type { Candidate } from "../routing/choice/candidate.ts";
import type { FetchMedia } from "../upstream/fetch-media.ts";
import { chatCompletions } from "./chat-completions.ts";
import { embeddings } from "./embeddings.ts";
import { generateContent } from "./generate-content.ts";
import { identify } from "./keyed.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import type { Visit } from "./visit.ts";

type Explain = (text: string, context: ReadContext, services: Services) => Promise<Response>;

/** By the endpoint's name, as the catalog gives it. */
const explainers: Readonly<Record<string, Explain>> = {
  chat: explainerOf(chatCompletions),
  responses: explainerOf(responses),
  messages: explainerOf(messages),
  embeddings: explainerOf(embeddings),
  generate_content: (text, context, services) => {
    // Gemini's paths have the model in their URL; here it stands in the body, as everywhere else.
    const { body } = readJsonObject(text, new Set());
    const { model, ...rest } = body;
    const url = new URL(`/v1beta/models/${encodeURIComponent(readModelName(model))}:generateContent`, context.url).href;
    return explainerOf(generateContent)(JSON.stringify(rest), { ...context, url }, services);
  },
};

/**
 * `POST /api/routes/explain?endpoint=chat`: whom a request would be put to, who is left out and why, and what it would
 * cost. The body is that of the endpoint. Nobody is called, nothing is recorded, and nobody's turn passes.
 */
export async function explainRoute({ services, request }: Visit): Promise<Response> {
  const identity = await identify(services, request);
  const endpoint = new URL(request.url).searchParams.get("endpoint") ?? "chat";
  const explainer = Object.hasOwn(explainers, endpoint) ? explainers[endpoint] : undefined;
  if (!explainer) throw invalidParameter("endpoint", `one of ${Object.keys(explainers).join(", ")}`);
  checkEndpointScope(identity, endpoint);
  const hold = services.capacity.admit(identity.key.id);
  try {
    const text = await readJsonBody(request, services.bodyLimits, services, { hold, deadline: null });
    return await explainer(text, contextOf(services, request, identity), services);
  } finally {
    hold.release();
  }
}

function contextOf(services: Services, request: Request, identity: Identity): ReadContext {
  const now = services.clock.now();
  const { headers, url } = request;
  return { headers, url, requestId: newRequestId(now), now, identity, responses: services.responses };
}

function explainerOf<Input extends EndpointInput>(endpoint: Endpoint<Input>): Explain {
  return async (text, context, services) => {
    const input = await endpoint.read(text, context);
    const plan = await planRequest(services, context.identity, endpoint, input, true);
    const refused: Refused[] = [];
    for (const candidate of plan.candidates) {
      const reason = await whyNot(endpoint, input, candidate);
      if (reason !== null) refused.push({ candidate, reason });
    }
    const explanation = explain(plan, refused, {
      askedModel: input.model,
      expected: endpoint.expectedUsage(input),
      prices: services.prices.models,
      now: services.clock.now(),
      hideProvider: services.hideProvider,
    });
    return Response.json(explanation);
  };
}

/** In place of what would be fetched from the addresses in a request: nobody is called. */
const fetchNothing: FetchMedia = async (sources) =>
  new Map(sources.map(({ url }) => [url, { mediaType: "image/png", base64: "" }]));

/** What keeps a request from being put to a candidate's dialect; null where nothing does. */
async function whyNot<Input extends EndpointInput>(
  endpoint: Endpoint<Input>,
  input: Input,
  { target, model }: Candidate,
): Promise<string | null> {
  try {
    const exchange = await endpoint.exchange(input, target, model, { fetchMedia: fetchNothing });
    return exchange === null ? "its provider has no answer to such a request" : null;
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) return naming(error);
    throw error;
  }
}

/** What an error says, with the field at fault, which callers otherwise find beside it. */
function naming({ message, param }: GatewayError): string {
  return param === null || message.includes(`'${param}'`) ? message : `'${param}': ${message}`;
}
