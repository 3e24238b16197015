import { unsupportedParameter } from "../../../errors.ts";
import type { RequestBody } from "../../../http/request-body.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { ImagesRequest, Pixels } from "../../../operations/images/images.ts";
import { inputsField } from "../../../operations/images/check-model.ts";
import { aspectRatioOf } from "../../jobs/aspect-ratio.ts";
import { JsonWithContents } from "../../pictures/json-body.ts";

/** Aspect ratios of Gemini's images. */
const geminiRatios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const imagenRatios = ["1:1", "3:4", "4:3", "9:16", "16:9"];

/** Of all images of a request: what Gemini takes within one, less its own encoding. */
const maxInlineBytes = 14 << 20;

/** The body of a `:generateContent` request that asks for an image, with the images to edit before the prompt. */
export function encodeGenerate(request: ImagesRequest): RequestBody {
  const { images, prompt } = request;
  const contents = images.flatMap(({ source }) => (source.type === "content" ? [source.content] : []));
  if (contents.reduce((sum, { size }) => sum + size, 0) > maxInlineBytes) {
    const message = `This provider takes images of at most ${maxInlineBytes} bytes together.`;
    throw unsupportedParameter(inputsField(request), message);
  }
  const json = new JsonWithContents();
  const parts = contents.map((content) => {
    return { inlineData: { mimeType: content.contentType, data: json.place(content) } };
  });
  const imageConfig = imageConfigOf(request);
  const value = {
    contents: [{ role: "user", parts: [...parts, { text: prompt }] }],
    generationConfig: { responseModalities: ["IMAGE"], ...(imageConfig && { imageConfig }) },
  };
  return contents.length === 0 ? JSON.stringify(value) : json.body(value, prompt);
}

function imageConfigOf({ pixels, size }: ImagesRequest): JsonObject | null {
  if (pixels === null) return namedSize(size, "imageSize");
  const imageSize = resolutionOf(pixels, ["1K", "2K", "4K"]);
  // Models that have one resolution only take no word for it.
  return { aspectRatio: aspectRatioOf(pixels, geminiRatios), ...(imageSize !== "1K" && { imageSize }) };
}

/** The body of a `:predict` request for images. */
export function encodePredict(request: ImagesRequest): JsonObject {
  const { prompt, n, pixels, size, outputFormat, outputCompression } = request;
  const sized =
    pixels === null
      ? namedSize(size, "sampleImageSize")
      : { aspectRatio: aspectRatioOf(pixels, imagenRatios), sampleImageSize: resolutionOf(pixels, ["1K", "2K"]) };
  const output = {
    ...(outputFormat !== undefined && { mimeType: `image/${outputFormat}` }),
    ...(outputCompression !== undefined && { compressionQuality: outputCompression }),
  };
  const parameters = {
    sampleCount: n,
    ...sized,
    ...(Object.keys(output).length > 0 && { outputOptions: output }),
  };
  return { instances: [{ prompt }], parameters };
}

/** Google's own words for a size: `2K`, or a ratio such as `16:9`. */
function namedSize(size: string | undefined, sizeField: string): JsonObject | null {
  if (size === undefined || size === "auto") return null;
  if (/^[124]K$/i.test(size)) return { [sizeField]: size.toUpperCase() };
  if (/^\d{1,2}:\d{1,2}$/.test(size)) return { aspectRatio: size };
  throw unsupportedParameter("size", "This provider takes a width and a height, such as 1024x1024.");
}

/** The least resolution that has so many pixels at the longer edge, or the greatest there is. */
function resolutionOf({ width, height }: Pixels, resolutions: readonly string[]): string {
  const edge = Math.max(width, height);
  // Longer edges of 1K are up to 1,584 pixels, as those of 21:9.
  return resolutions.find((name) => edge <= Number.parseInt(name, 10) * 1_024 * 1.8) ?? resolutions.at(-1) ?? "1K";
}
