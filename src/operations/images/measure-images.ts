import type { ObservedImage, Observation } from "../../dialects/exchange.ts";
import {
  type Dimension,
  type DimensionName,
  listDimensions,
  type MutableQuantities,
  sumOf,
  unitOf,
} from "../../dimensions.ts";
import { estimateTokens } from "../../metering/estimate.ts";
import type { Measurement, MeasurementSource, Usage } from "../../metering/usage.ts";
import { askedQuality, inputsOf, tokensOfImage, tokensPerInput } from "./expect-images.ts";
import type { ImagesRequest } from "./images.ts";

/**
 * What images have used, in the ways in which the model is priced: the images that were delivered, by their size and quality, or
 * the tokens that the provider reports. Without any price it is the images. Sizes that the provider does not say, and tokens
 * that it does not report, are the gateway's own estimate.
 */
export async function measureImages(
  request: ImagesRequest,
  observation: Observation,
  isPriced: (name: DimensionName) => boolean,
): Promise<Usage> {
  // What was not asked for is not paid for.
  const images = (observation.images ?? []).slice(0, request.n);
  const hasTokens = tokenNames.some(isPriced);
  const ofImages = isPriced("image") || !hasTokens ? imageDimensions(images, request) : [];
  if (!hasTokens) return { dimensions: ofImages, measurement: images.some(isMeasured) ? estimated : null };
  const { quantities, measurement } = await measureTokens(request, observation, images, isPriced);
  return { dimensions: [...listDimensions(quantities), ...ofImages], measurement };
}

const tokenNames = ["input", "input_image", "output", "output_image"] as const;
const estimated: Measurement = { input: "local_estimate", output: "local_estimate" };

function isMeasured(image: ObservedImage): boolean {
  return image.isMeasured;
}

/** One dimension for each size and quality. */
function imageDimensions(images: readonly ObservedImage[], { quality }: ImagesRequest): Dimension[] {
  const counts = new Map<string, number>();
  for (const { size, quality: told } of images) {
    const its = told ?? askedQuality(quality);
    const variant = size === null ? "" : its === null ? size : `${its}/${size}`;
    counts.set(variant, (counts.get(variant) ?? 0) + 1);
  }
  if (counts.size === 0) counts.set("", 0);
  return [...counts].map(([variant, quantity]) => {
    return { name: "image", quantity, unit: unitOf("image"), ...(variant !== "" && { variant }) };
  });
}

async function measureTokens(
  request: ImagesRequest,
  { usage }: Observation,
  images: readonly ObservedImage[],
  isPriced: (name: DimensionName) => boolean,
): Promise<{ readonly quantities: MutableQuantities; readonly measurement: Measurement }> {
  const read = usage?.input === "final" ? sumOf(usage.quantities, "token", "input") : null;
  const written = usage?.output === "final" ? sumOf(usage.quantities, "token", "output") : null;
  const quantities: MutableQuantities = {};
  if (read === null) {
    const ofInputs = inputsOf(request) * tokensPerInput;
    const isApart = isPriced("input_image") && ofInputs > 0;
    quantities.input = (await estimateTokens(request.prompt)) + (isApart ? 0 : ofInputs);
    if (isApart) quantities.input_image = ofInputs;
  } else quantities.input = read;
  // Of what is written as a whole the parts are told, or else all of it is images.
  const isWhole = usage?.parts?.output_image !== undefined && written !== null;
  const name = isPriced("output_image") && !isWhole ? "output_image" : "output";
  quantities[name] = written ?? images.reduce((sum, image) => sum + estimateImage(image, request), 0);
  return { quantities, measurement: { input: sourceOf(read), output: sourceOf(written) } };
}

function sourceOf(reported: number | null): MeasurementSource {
  return reported === null ? "local_estimate" : "provider";
}

function estimateImage({ size, quality }: ObservedImage, request: ImagesRequest): number {
  const [width = 1_024, height = 1_024] = (size ?? "").split("x").map(Number).filter(Number.isFinite);
  return tokensOfImage({ width, height }, quality ?? askedQuality(request.quality));
}

/** A careful figure of the tokens that a model reads. */
export async function estimateImagesRead(request: ImagesRequest): Promise<number> {
  return (await estimateTokens(request.prompt)) + inputsOf(request) * tokensPerInput;
}
