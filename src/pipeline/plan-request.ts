import type { Identity } from "../access/identity.ts";
import { allowsEndpoint } from "../access/scopes.ts";
import { hasPrices } from "../billing/prices/build-prices.ts";
import type { PriceBook } from "../billing/prices/price-book.ts";
import { GatewayError, invalidRequest, permissionError, unsupportedParameter } from "../errors.ts";
import type { ModelLimits } from "../metering/expected-usage.ts";
import { backendNotFound } from "../routing/names/backends.ts";
import { modelNotFound } from "../routing/names/model-not-found.ts";
import { estimatedAmount } from "../routing/choice/cost.ts";
import type { Destination } from "../routing/names/destination.ts";
import type { Exclusion } from "../routing/choice/exclusion.ts";
import type { Model } from "../routing/names/model.ts";
import { makePlan, type Plan } from "../routing/choice/plan.ts";
import { scopeWithin } from "../routing/names/scope-within.ts";
import type { Services } from "./services.ts";
import { withSearchPrices } from "./web-search/search-prices.ts";
import type { Parsed } from "./stages.ts";

/** 403 if the key may not call this endpoint at all. */
export function checkEndpointScope(identity: Identity, endpoint: string): void {
  if (allowsEndpoint(identity, endpoint)) return;
  throw permissionError("endpoint_not_allowed", `This API key may not use the endpoint '${endpoint}'.`);
}

/**
 * The plan for a request, which may hold no candidate. Throws a 404 for a name that leads nowhere.
 * @param isDryRun the request is only explained: nothing changes for others
 */
export function planRequest(
  services: PlanServices & Pick<Services, "names" | "backends">,
  identity: Identity,
  parsed: Parsed,
  isDryRun = false,
): Plan | Promise<Plan> {
  const destination = destinationOf(services, identity, parsed);
  const request = { services, identity, parsed, destination, isDryRun };
  const tokens = tokensToFit(destination, parsed);
  return tokens instanceof Promise ? tokens.then((known) => planWith(request, known)) : planWith(request, tokens);
}

function destinationOf(
  { names, backends }: Pick<Services, "names" | "backends">,
  identity: Identity,
  { model, operation }: Parsed,
): Destination {
  if (operation.names !== "backends") {
    const found = names.find(model);
    if (!found) throw modelNotFound(model, names, identity);
    return found;
  }
  const found = backends.find(model);
  if (!found) throw backendNotFound(model, backends);
  return found;
}

type PlanServices = Pick<Services, "prices" | "refusesUnpriced" | "clock" | "steady" | "random">;

interface PlanRequest {
  readonly services: PlanServices & Pick<Services, "backends">;
  readonly identity: Identity;
  readonly parsed: Parsed;
  readonly destination: Destination;
  readonly isDryRun: boolean;
}

function planWith({ services, identity, parsed, destination, isDryRun }: PlanRequest, tokens: number): Plan {
  const { clock, steady, random } = services;
  const prices = services.prices.current;
  const refusesUnpriced = services.refusesUnpriced && !parsed.operation.isFree;
  const mayUse = destination.backends ? everyModel : scopeWithin(identity, destination);
  const review = (model: Model): Exclusion | null => {
    if (!mayUse(model)) return excludedBy(model, "the API key may not use it", notAllowed(model));
    const error = unfit(model, destination, parsed, tokens) ?? (refusesUnpriced ? unpricedError(model, prices) : null);
    return error && excludedBy(model, error.message, error);
  };
  const plan = makePlan(destination, review, {
    now: steady.now(),
    random,
    isDryRun,
    prices,
    arrange: parsed.arrange,
    costOf: ({ model, target }) =>
      estimatedAmount(prices.pricesOf(model, target), parsed.expectedUsage(), model, clock.now()),
  });
  return withSearchPrices(plan, services.backends);
}

/** The scopes of keys name models: searches are scoped by their endpoint and by domains. */
const everyModel = () => true;

/** The limits of the models that may answer: of each, the one that lets a request use most. */
export function loosestLimits({ candidates }: Plan): ModelLimits {
  let maxOutputTokens: number | null = 0;
  let contextLength: number | null = 0;
  for (const { model } of candidates) {
    maxOutputTokens = loosest(maxOutputTokens, model.maxOutputTokens);
    contextLength = loosest(contextLength, model.contextLength);
  }
  return { maxOutputTokens, contextLength };
}

function loosest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

/** An estimate above a model's context length by less than this share proves nothing: tokenizers differ. */
const tolerance = 1.1;

/** A careful figure of the tokens read, if the request is so large that it matters; else 0. */
function tokensToFit({ members }: Destination, parsed: Parsed): number | Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (const { model } of members) min = Math.min(min, model.contextLength ?? Number.POSITIVE_INFINITY);
  // No tokenizer makes more tokens than there are bytes.
  if (min === Number.POSITIVE_INFINITY || parsed.size <= min) return 0;
  return parsed.estimateInput();
}

/** The reason why a model cannot serve a request; null if it can. */
function unfit(model: Model, destination: Destination, parsed: Parsed, tokens: number): GatewayError | null {
  const { endpoint } = parsed.operation;
  if (!model.endpoints.includes(endpoint)) return unsupportedEndpoint(model, endpoint);
  const lacking = lackingCapability(model, destination, parsed);
  if (lacking !== null) {
    const message = `The model '${model.id}' does not declare '${lacking}', which '${destination.id}' requires.`;
    return invalidRequest("unsupported_parameter", message, "model");
  }
  if (model.contextLength !== null && tokens > model.contextLength * tolerance) {
    const message =
      `The request is about ${tokens} tokens long; ` +
      `the model '${model.id}' reads at most ${model.contextLength} tokens.`;
    return invalidRequest("context_length_exceeded", message, "model");
  }
  try {
    if (deniesSomething(model)) checkCapabilities(model, parsed);
    parsed.checkModel(model);
    return null;
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) return error;
    throw error;
  }
}

/** Capabilities that a model must be known to have if the caller did not choose the model. */
const decisiveCapabilities: ReadonlySet<string> = new Set(["tools", "vision", "audio_input", "json_schema"]);

function lackingCapability(model: Model, { requires, isStrict }: Destination, parsed: Parsed): string | null {
  const isLacking = (capability: string) => model.parameters[capability] !== true;
  const required = requires.find(isLacking);
  if (required !== undefined) return required;
  if (!isStrict) return null;
  const used = parsed
    .capabilities()
    .find((use) => decisiveCapabilities.has(use.capability) && isLacking(use.capability));
  return used?.capability ?? null;
}

/** Models whose declaration denies a capability; what a request uses is only worked out for these. */
const denials = new WeakMap<Model, boolean>();

function deniesSomething(model: Model): boolean {
  let denies = denials.get(model);
  if (denies === undefined) {
    denies = Object.values(model.parameters).includes(false);
    denials.set(model, denies);
  }
  return denies;
}

/** Refuses what a model is declared not to do. Throws a 400 naming the field. */
function checkCapabilities(model: Model, parsed: Parsed): void {
  for (const { capability, field } of parsed.capabilities()) {
    if (model.parameters[capability] !== false) continue;
    throw unsupportedParameter(field, `The model '${model.id}' does not support '${field}' (${capability}).`);
  }
}

function excludedBy(model: Model, reason: string, error: GatewayError): Exclusion {
  return { model: model.id, provider: null, reason, error };
}

function notAllowed(model: Model): GatewayError {
  return permissionError("model_not_allowed", `This API key may not use the model '${model.id}'.`, "model");
}

/** What refuses a model that has a target without a price; null if it has none. */
function unpricedError(model: Model, prices: PriceBook): GatewayError | null {
  const unpriced = model.targets.find((target) => !hasPrices(prices.pricesOf(model, target)));
  if (!unpriced) return null;
  const message = `The model '${model.id}' has no price, and this service does not serve models without one.`;
  return invalidRequest("model_unpriced", message, "model");
}

function unsupportedEndpoint(model: Model, endpoint: string): GatewayError {
  const served = model.endpoints.join(", ");
  const message = `The model '${model.id}' does not serve '${endpoint}', only: ${served}.`;
  return invalidRequest("unsupported_endpoint", message, "model");
}
