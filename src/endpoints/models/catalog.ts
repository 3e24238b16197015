import type { Answer } from "../../pipeline/answer.ts";
import { allowsModel } from "../../access/scopes.ts";
import { listPrices } from "../../billing/price-lists/list-prices.ts";
import type { PriceBook } from "../../billing/prices/price-book.ts";
import type { Model } from "../../routing/names/model.ts";
import { answerWithETag, etagOf } from "../etag.ts";
import { identify } from "../keyed.ts";
import type { Visit } from "../visit.ts";

/** `GET /api/models/catalog`: what this key may call, with abilities, limits and prices. Answers 304 to a known ETag. */
export async function listCatalog({ services, request }: Visit): Promise<Answer> {
  const identity = await identify(services, request);
  const prices = services.prices.current;
  const data = services.catalog.models
    .filter((model) => allowsModel(identity, model.id))
    .map((model) => catalogEntry(model, prices, services.names.aliasesOf(model)));
  const body = JSON.stringify({ object: "list", data });
  const more = { "cache-control": "private, no-cache", vary: "Authorization, X-Api-Key, X-Goog-Api-Key" };
  return answerWithETag(request, body, etagOf(body), more);
}

function catalogEntry(model: Model, prices: PriceBook, aliases: readonly string[]) {
  // The target that is asked first; others may have prices of their own.
  const [target] = model.targets;
  return {
    id: model.id,
    object: "model",
    name: model.name,
    description: model.description,
    owned_by: model.ownedBy,
    created: model.created,
    supported_endpoint_types: model.endpoints,
    parameters: model.parameters,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    pricing: listPrices(target ? prices.pricesOf(model, target) : null),
    pricing_version: prices.version,
    aliases,
    deprecated_at: model.deprecatedAt,
  };
}
