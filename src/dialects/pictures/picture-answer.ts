import type { ReportedUsage } from "../../conversation/usage.ts";
import { sumOf } from "../../dimensions.ts";
import type { JsonObject } from "../../json/values.ts";
import type { ImagesAnswer, ImagesRequest } from "../../operations/images/images.ts";
import type { MediaTools } from "../../operations/images/media-tools.ts";
import type { Observation, WholeAnswer } from "../exchange.ts";
import type { FinishedPicture } from "./finish-pictures.ts";
import { joinedInSteps, JsonWithStrings } from "./write-answer.ts";

/** The answer of a caller who wants it whole, in OpenAI's form. */
export async function writePictures(
  request: ImagesRequest,
  answer: ImagesAnswer,
  pictures: readonly FinishedPicture[],
  media: Pick<MediaTools, "links">,
): Promise<WholeAnswer> {
  return {
    body: await bodyOf(request, answer, pictures),
    observation: observationOf(answer.usage, pictures),
    keep: () => keepLinks(pictures, media),
  };
}

function bodyOf(
  request: ImagesRequest,
  answer: ImagesAnswer,
  pictures: readonly FinishedPicture[],
): Uint8Array | Promise<Uint8Array> {
  const { openai } = answer;
  const isWhole = pictures.length === answer.images.length && pictures.every(({ isUntouched }) => isUntouched);
  if (openai?.bytes && isWhole) return openai.bytes;
  const json = new JsonWithStrings();
  const data = pictures.map(({ given, made }, index) => {
    const revised = openai || made.revisedPrompt === null ? {} : { revised_prompt: made.revisedPrompt };
    const content = given.type === "url" ? { url: given.url } : { b64_json: json.place(given.base64) };
    return { ...content, ...revised, ...openai?.data[index] };
  });
  const created = answer.created ?? Math.floor(Date.now() / 1_000);
  const members = openai?.members ?? { created, ...factsOf(request, answer, pictures) };
  return joinedInSteps(json.pieces({ ...members, data }));
}

/** What OpenAI's answers say of all images, as far as it is known. */
export function factsOf(
  { background }: ImagesRequest,
  { quality, usage }: Pick<ImagesAnswer, "quality" | "usage">,
  pictures: readonly FinishedPicture[],
): JsonObject {
  const [first] = pictures;
  const format = first?.checked?.contentType.slice("image/".length);
  const size = first?.observed.size;
  return {
    ...(background !== undefined && background !== "auto" && { background }),
    ...(format !== undefined && { output_format: format }),
    ...(size && { size }),
    ...(quality !== null && { quality }),
    ...(usage && { usage: writeImagesUsage(usage) }),
  };
}

/** Usage in OpenAI's form. */
export function writeImagesUsage({ quantities, parts }: ReportedUsage): JsonObject {
  const input = sumOf(quantities, "token", "input");
  const output = sumOf(quantities, "token", "output");
  const ofImages = parts?.input_image ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: input - ofImages, image_tokens: ofImages },
    output_tokens: output,
    total_tokens: input + output,
  };
}

/** What the record of an answer is made from. */
export function observationOf(usage: ReportedUsage | null, pictures: readonly FinishedPicture[]): Observation {
  return { responseId: null, usage, producedText: () => "", images: pictures.map(({ observed }) => observed) };
}

async function keepLinks(pictures: readonly FinishedPicture[], { links }: Pick<MediaTools, "links">): Promise<void> {
  for (const { kept } of pictures) if (kept !== null) await links.keep(kept.token, kept.content);
}
