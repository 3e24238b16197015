import { toQuantity } from "../../dimensions.ts";
import { quickTextTokens } from "../../metering/estimate.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";
import type { ImagesRequest, Pixels } from "./images.ts";

/** Tokens that an image to edit is read as: 765 of one megapixel at OpenAI. */
export const tokensPerInput = 765;
/** An upper bound of the same: OpenAI's high fidelity reads some 6,500 of the largest. */
const maxTokensPerInput = 8_192;

/** An image has 1,056 tokens for each megapixel at OpenAI's medium quality, 1,290 at Gemini. */
const pixelsPerToken = 1_000;
/** By how much the tokens of a quality differ from that. */
const qualityFactors: Readonly<Record<string, number>> = { low: 1 / 4, high: 4, hd: 4 };

/** Upper bounds: no known model writes more tokens of an image whose size it chooses, thoughts included, or of a pixel. */
const maxTokensPerImage = 8_192;
const minPixelsPerToken = 128;
/** OpenAI counts 100 for each image before the last. */
const maxTokensPerPartial = 256;
/** Tokens that a provider may put around the prompt. */
const maxHiddenTokens = 64;

const megapixel: Pixels = { width: 1_024, height: 1_024 };

type Asked = Pick<ImagesRequest, "prompt" | "n" | "size" | "pixels" | "quality" | "images" | "mask" | "partialImages">;

/** The expected usage of a request for images, in both ways in which a model may be priced: by images, and by tokens. */
export function expectImages(request: Asked): ExpectedUsage {
  const { prompt, n, pixels, quality, partialImages = 0 } = request;
  const inputs = inputsOf(request);
  return {
    isByPrice: true,
    imageVariant: { size: pixels === null ? null : (request.size ?? null), quality: askedQuality(quality) },
    expected: {
      image: n,
      input: toQuantity(quickTextTokens(prompt) + inputs * tokensPerInput),
      output_image: toQuantity(n * tokensOfImage(pixels ?? megapixel, quality)),
    },
    max: () => {
      const area = pixels === null ? 0 : pixels.width * pixels.height;
      const perImage = Math.max(maxTokensPerImage, area / minPixelsPerToken) + partialImages * maxTokensPerPartial;
      return {
        image: n,
        // No tokenizer makes more than a token of a byte.
        input: toQuantity(Buffer.byteLength(prompt) + maxHiddenTokens + inputs * maxTokensPerInput),
        output: toQuantity(n * perImage),
      };
    },
    writes: null,
  };
}

/** Images that the model reads. */
export function inputsOf({ images, mask }: Pick<Asked, "images" | "mask">): number {
  return images.length + (mask === null ? 0 : 1);
}

/** What an image is expected to be in tokens. */
export function tokensOfImage({ width, height }: Pixels, quality: string | null | undefined): number {
  return Math.ceil(((width * height) / pixelsPerToken) * (qualityFactors[quality ?? ""] ?? 1));
}

/** A quality that the caller has chosen; null if the choice is the model's. */
export function askedQuality(quality: string | undefined): string | null {
  return quality === undefined || quality === "auto" ? null : quality;
}
