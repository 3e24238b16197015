import type { Exchange } from "../../dialects/exchange.ts";
import { imagesExchangeOf } from "../../dialects/pictures/images-exchange-of.ts";
import { invalidRequest } from "../../errors.ts";
import type { Model, Target } from "../../routing/names/model.ts";
import type { ExchangeTools } from "../operation.ts";
import { fetchInputs } from "./fetch-inputs.ts";
import type { ImagesProvider, ImagesRequest } from "./images.ts";

/**
 * Puts a request to the first dialect of a target's provider that makes images; null if another target of the model has one.
 * Throws a 400 if none has, or if the dialect cannot carry a field.
 */
export function imagesExchange(
  request: ImagesRequest,
  target: Target,
  { id, targets }: Model,
  tools: ExchangeTools,
): Exchange | null | Promise<Exchange> {
  const half = imagesHalf(target.provider, tools.dialects);
  if (half === null) {
    if (targets.some(({ provider }) => imagesHalf(provider, tools.dialects))) return null;
    throw invalidRequest("unsupported_endpoint", `No provider of the model '${id}' makes images.`, "model");
  }
  const put = (fetched: ImagesRequest) => imagesExchangeOf(half.exchange(fetched, target), fetched, target, tools);
  const { imageUrl } = half.capabilities(target.model);
  const isFetched = imageUrl.status === "emulated" && imageUrl.fetched === true;
  const inputs = [...request.images, ...(request.mask === null ? [] : [request.mask])];
  if (!isFetched || inputs.every(({ source }) => source.type === "content")) return put(request);
  return fetchInputs(request, tools.fetchMedia).then(put);
}

function imagesHalf(
  { dialects: dialectNames }: Target["provider"],
  dialects: ExchangeTools["dialects"],
): ImagesProvider | null {
  for (const name of dialectNames) {
    const half = dialects.find(name).provides.images;
    if (half) return half;
  }
  return null;
}
