import type { Exchange } from "../../dialects/exchange.ts";
import { invalidRequest } from "../../errors.ts";
import type { Model, Target } from "../../routing/names/model.ts";
import type { ExchangeTools } from "../operation.ts";
import type { TranscriptionProvider, TranscriptionRequest } from "./transcription.ts";

/**
 * Puts a request to the first dialect of a target's provider that can transcribe; null if another target of the model has one.
 * Throws a 400 if none has, or if the dialect cannot carry a field.
 */
export function transcriptionExchange(
  request: TranscriptionRequest,
  { provider, model }: Target,
  { id, targets }: Model,
  { dialects, media }: Pick<ExchangeTools, "dialects" | "media">,
): Exchange | null {
  const half = transcriptionHalf(provider, dialects);
  if (half) return half.exchange(request, model, media.hideProvider);
  if (targets.some((target) => transcriptionHalf(target.provider, dialects))) return null;
  throw invalidRequest("unsupported_endpoint", `No provider of the model '${id}' can transcribe.`, "model");
}

function transcriptionHalf(
  { dialects: dialectNames }: Target["provider"],
  dialects: ExchangeTools["dialects"],
): TranscriptionProvider | null {
  for (const name of dialectNames) {
    const half = dialects.find(name).provides.transcription;
    if (half) return half;
  }
  return null;
}
