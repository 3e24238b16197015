import type { PriceDocument } from "../../billing/prices/price-document.ts";
import { usdDocument } from "../../billing/prices/usd-document.ts";
import type { PricedModel } from "../names/models-of.ts";
import type { ModelEntry } from "./stored-catalog.ts";

/** A model as operators see it, in the names of the configuration. One that is not in force is shown as it is stored. */
export function modelView({ id, stored, line, config, problem }: ModelEntry) {
  return {
    object: "model_definition" as const,
    id,
    source: stored === null ? ("config" as const) : ("storage" as const),
    locked: stored === null,
    line,
    ...(config === null ? stored?.fields : modelFields(config)),
    updated_at: stored === null ? null : Math.floor(stored.updatedAt / 1000),
    problem,
  };
}

/** The settings of a model, in the names of the configuration. */
function modelFields(model: PricedModel) {
  const { retry, webSearch } = model;
  return {
    name: model.name,
    description: model.description,
    owned_by: model.ownedBy,
    created: model.created,
    targets: model.targets.map(({ provider, model: name, weight, prices = null }) => {
      return { provider, model: name, weight, ...priceFields(prices) };
    }),
    strategy: model.strategy,
    retry: retry && { attempts: retry.attempts, budget_ms: retry.budgetMs, on: retry.on },
    endpoints: model.endpoints,
    parameters: model.parameters,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    hosted_tools: model.hostedTools,
    web_search: webSearch ? { backend: webSearch.backend, max_rounds: webSearch.maxRounds } : null,
    temperature: model.temperature,
    deprecated_at: model.deprecatedAt,
    ...priceFields(model.prices),
  };
}

function priceFields(document: PriceDocument | null): { readonly prices?: object; readonly cost?: string } {
  if (document === null) return {};
  const { cost, ...prices } = document;
  const isOnlyCost = cost !== undefined && Object.keys(prices).length === 0;
  return { ...(!isOnlyCost && { prices: usdDocument(prices) }), ...(cost && { cost }) };
}
