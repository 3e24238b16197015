import type { Exchange } from "../dialects/exchange.ts";
import { invalidRequest } from "../errors.ts";
import type { Model, Target } from "../routing/names/model.ts";
import type { EmbeddingsProvider, EmbeddingsRequest } from "./embeddings.ts";
import type { ExchangeTools } from "./operation.ts";

/**
 * Puts a request to the first dialect of a target's provider that can embed; null if another target of the model has one.
 * Throws a 400 if none has.
 */
export function embeddingsExchange(
  request: EmbeddingsRequest,
  { provider, model }: Target,
  { id, targets }: Model,
  { dialects }: Pick<ExchangeTools, "dialects">,
): Exchange | null | Promise<Exchange> {
  const half = embeddingsHalf(provider, dialects);
  if (half) return half(request, model);
  if (targets.some((target) => embeddingsHalf(target.provider, dialects))) return null;
  throw invalidRequest("unsupported_endpoint", `No provider of the model '${id}' can embed.`, "model");
}

function embeddingsHalf(
  { dialects: dialectNames }: Target["provider"],
  dialects: ExchangeTools["dialects"],
): EmbeddingsProvider | null {
  for (const name of dialectNames) {
    const half = dialects.find(name).provides.embeddings;
    if (half) return half;
  }
  return null;
}
