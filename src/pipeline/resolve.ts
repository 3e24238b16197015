import type { Identity } from "../access/identity.ts";
import { allowsEndpoint } from "../access/scopes.ts";
import { GatewayError, invalidRequest, permissionError } from "../errors.ts";
import { modelNotFound } from "../routing/names/catalog.ts";
import type { ExpectedUsage } from "../metering/expected-usage.ts";
import { estimatedAmount } from "../routing/choice/cost.ts";
import type { Destination } from "../routing/names/destination.ts";
import type { Exclusion } from "../routing/choice/exclusion.ts";
import type { Model } from "../routing/names/model.ts";
import { makePlan, type Plan } from "../routing/choice/plan.ts";
import { scopeWithin } from "../routing/names/scope-within.ts";
import type { Endpoint, EndpointInput } from "./endpoint.ts";
import type { Journey } from "./journey.ts";
import { noCandidate } from "./refusals.ts";
import type { Services } from "./services.ts";

/** 403 where the key may not call this endpoint at all. */
export function checkEndpointScope(identity: Identity, endpoint: string): void {
  if (allowsEndpoint(identity, endpoint)) return;
  throw permissionError("endpoint_not_allowed", `This API key may not use the endpoint '${endpoint}'.`);
}

/** Who can answer a request, best first. Throws a 404, a 403 or a 400 where nobody can; the journey keeps why. */
export async function resolve<Input extends EndpointInput>(
  services: Services,
  journey: Journey,
  identity: Identity,
  endpoint: Endpoint<Input>,
  input: Input,
): Promise<Plan> {
  const plan = await planRequest(services, identity, endpoint, input);
  journey.plan = plan;
  if (plan.candidates.length === 0) throw noCandidate(plan);
  return plan;
}

/**
 * The plan for a request, which may hold nobody. Throws a 404 for a name that leads nowhere.
 * @param isRehearsal the request will not be made: nothing changes for those that are
 */
export async function planRequest<Input extends EndpointInput>(
  { names, prices, clock, random }: Pick<Services, "names" | "prices" | "clock" | "random">,
  identity: Identity,
  endpoint: Endpoint<Input>,
  input: Input,
  isRehearsal = false,
): Promise<Plan> {
  const destination = names.find(input.model);
  if (!destination) throw modelNotFound(input.model);
  const mayUse = scopeWithin(identity, destination);
  const tokens = await tokensToFit(destination, endpoint, input);
  const review = (model: Model): Exclusion | null => {
    if (!mayUse(model)) return excludedBy(model, "the API key may not use it", notAllowed(model));
    const error = unfit(model, destination, endpoint, input, tokens);
    return error && excludedBy(model, error.message, error);
  };
  let expected: ExpectedUsage | null = null;
  return makePlan(destination, review, {
    now: clock.now(),
    random,
    isRehearsal,
    costOf: ({ model }) => {
      // It takes a walk through the messages: once will do for all candidates.
      expected ??= endpoint.expectedUsage(input);
      return estimatedAmount(prices.models[model.pricedAs] ?? null, expected, model);
    },
  });
}

/** An estimate above a model's context length by less than this share proves nothing: tokenizers differ. */
const tolerance = 1.1;

/** A careful figure of the tokens read, where the request is so large that it matters; else 0. */
async function tokensToFit<Input extends EndpointInput>(
  { members }: Destination,
  endpoint: Endpoint<Input>,
  input: Input,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (const { model } of members) least = Math.min(least, model.contextLength ?? Number.POSITIVE_INFINITY);
  // No tokenizer makes more tokens than there are bytes.
  if (least === Number.POSITIVE_INFINITY || endpoint.size(input) <= least) return 0;
  return endpoint.estimateInput(input);
}

/** What keeps a model from serving a request; null where nothing does. */
function unfit<Input extends EndpointInput>(
  model: Model,
  { requires, isStrict, id }: Destination,
  endpoint: Endpoint<Input>,
  input: Input,
  tokens: number,
): GatewayError | null {
  if (!model.endpoints.includes(endpoint.name)) return unsupportedEndpoint(model, endpoint.name);
  const needed = isStrict ? [...requires, ...(endpoint.abilitiesUsed?.(input) ?? [])] : requires;
  const lacking = needed.find((capability) => model.parameters[capability] !== true);
  if (lacking !== undefined) {
    const message = `The model '${model.id}' does not declare '${lacking}', which '${id}' requires.`;
    return invalidRequest("unsupported_parameter", message, "model");
  }
  if (model.contextLength !== null && tokens > model.contextLength * tolerance) {
    const message =
      `The request is about ${tokens} tokens long; ` +
      `the model '${model.id}' reads at most ${model.contextLength} tokens.`;
    return invalidRequest("context_length_exceeded", message, "model");
  }
  try {
    endpoint.checkModel(input, model);
    return null;
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) return error;
    throw error;
  }
}

function excludedBy(model: Model, reason: string, error: GatewayError): Exclusion {
  return { model: model.id, provider: null, reason, error };
}

function notAllowed(model: Model): GatewayError {
  return permissionError("model_not_allowed", `This API key may not use the model '${model.id}'.`, "model");
}

function unsupportedEndpoint(model: Model, endpoint: string): GatewayError {
  const served = model.endpoints.join(", ");
  const message = `The model '${model.id}' does not serve '${endpoint}', only: ${served}.`;
  return invalidRequest("unsupported_endpoint", message, "model");
}
