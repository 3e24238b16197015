import type { Exchange } from "../../dialects/exchange.ts";
import { invalidRequest } from "../../errors.ts";
import type { Model, Target } from "../../routing/names/model.ts";
import type { ExchangeTools } from "../operation.ts";
import type { SpeechProvider, SpeechRequest } from "./speech.ts";

/**
 * Puts a request to the first dialect of a target's provider that can speak; null if another target of the model has one.
 * Throws a 400 if none has, or if the dialect cannot carry a field.
 */
export function speechExchange(
  request: SpeechRequest,
  { provider, model }: Target,
  { id, targets }: Model,
  { dialects, media }: Pick<ExchangeTools, "dialects" | "media">,
): Exchange | null {
  const half = speechHalf(provider, dialects);
  if (half) return half.exchange(request, model, media.hideProvider);
  if (targets.some((target) => speechHalf(target.provider, dialects))) return null;
  throw invalidRequest("unsupported_endpoint", `No provider of the model '${id}' can speak.`, "model");
}

function speechHalf(
  { dialects: dialectNames }: Target["provider"],
  dialects: ExchangeTools["dialects"],
): SpeechProvider | null {
  for (const name of dialectNames) {
    const half = dialects.find(name).provides.speech;
    if (half) return half;
  }
  return null;
}
