import { wholeOnly } from "../../dialects/exchanges/whole-only.ts";
import { AnswerFault, type Exchange } from "../../dialects/exchange.ts";
import { invalidRequest } from "../../errors.ts";
import { parseBody } from "../../json/values.ts";
import type { Model, Target } from "../../routing/names/model.ts";
import type { ExchangeTools } from "../operation.ts";
import type { VideoProvider, VideoRequest } from "./video.ts";

/**
 * Puts a request to the first dialect of a target's provider that makes films; null if another target of the model has one.
 * Throws a 400 if none has, or if the dialect cannot carry a field.
 */
export async function videoExchange(
  request: VideoRequest,
  { provider, model }: Target,
  { id, targets }: Model,
  { dialects }: Pick<ExchangeTools, "dialects">,
): Promise<Exchange | null> {
  const half = videoHalf(provider, dialects);
  if (half === null) {
    if (targets.some((target) => videoHalf(target.provider, dialects) !== null)) return null;
    throw invalidRequest("unsupported_endpoint", `No provider of the model '${id}' makes films.`, "model");
  }
  // What is changed is changed where it was made.
  if (request.remixOf !== null && request.remixOf.provider !== provider.id) return null;
  const submit = await half.submit(request, model, provider.webhook?.url ?? null);
  return wholeOnly({
    request: submit.request,
    warnings: submit.warnings,
    readError: submit.readError,
    readWhole(body) {
      const submittedJob = submit.readSubmitted(parsed(body));
      const observation = { responseId: request.jobId, usage: null, producedText: () => "", submittedJob };
      return { body: "", observation: { ...observation, isPending: true } };
    },
  });
}

function parsed(body: Uint8Array): unknown {
  try {
    return parseBody(body);
  } catch {
    throw new AnswerFault("The provider's answer is not valid JSON.");
  }
}

function videoHalf({ dialects: names }: Target["provider"], dialects: ExchangeTools["dialects"]): VideoProvider | null {
  for (const name of names) {
    const half = dialects.find(name).provides.videos;
    if (half) return half;
  }
  return null;
}
