import { wholeOnly } from "../../dialects/exchanges/whole-only.ts";
import { AnswerFault, type Exchange } from "../../dialects/exchange.ts";
import { invalidRequest } from "../../errors.ts";
import { parseBody } from "../../json/values.ts";
import type { Model, Target } from "../../routing/names/model.ts";
import { contentOfBytes } from "../images/image-content.ts";
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
  tools: Pick<ExchangeTools, "dialects" | "fetchMedia">,
): Promise<Exchange | null> {
  const { dialects } = tools;
  const half = videoHalf(provider, dialects);
  if (half === null) {
    if (targets.some((target) => videoHalf(target.provider, dialects) !== null)) return null;
    throw invalidRequest("unsupported_endpoint", `No provider of the model '${id}' makes films.`, "model");
  }
  // What is changed is changed where it was made.
  if (request.remixOf !== null && request.remixOf.provider !== provider.id) return null;
  const submit = await half.submit(await withPicture(request, half, tools), model, provider.webhook?.url ?? null);
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

/** The request with the bytes of its picture in place of the address, for a provider that takes none. Throws a 400 if it cannot be had. */
async function withPicture(
  request: VideoRequest,
  { capabilities: { imageUrl } }: VideoProvider,
  { fetchMedia }: Pick<ExchangeTools, "fetchMedia">,
): Promise<VideoRequest> {
  const { image } = request;
  const isFetched = imageUrl.status === "emulated" && imageUrl.fetched === true;
  if (!isFetched || image?.kind !== "url" || image.url.startsWith("data:")) return request;
  const { url } = image;
  const path = "input_reference.image_url";
  const fetched = (await fetchMedia([{ url, kind: "image", path }])).get(url);
  if (fetched === undefined) return request;
  return { ...request, image: { kind: "file", ...contentOfBytes(Buffer.from(fetched.base64, "base64"), path) } };
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
