import { emulated, ignored, refused } from "../../conversation/fields/support.ts";
import type { JsonObject } from "../../json/values.ts";
import { fitImages } from "../../operations/images/fit-images.ts";
import type { ImagesCapabilities, ImagesRequest, MadeImage } from "../../operations/images/images.ts";
import { parseDataUrl } from "../../conversation/data-url.ts";
import { AnswerFault } from "../exchange.ts";

/** Fields of diffusion models that callers may send beside OpenAI's: none of them changes what a request costs. */
const inputFields: ReadonlySet<string> = new Set([
  "seed",
  "negative_prompt",
  "guidance_scale",
  "guidance",
  "num_inference_steps",
  "strength",
  "prompt_strength",
]);

/** What models behind a queue of jobs do, whatever their family. */
export const jobCapabilities = {
  quality: ignored,
  style: ignored,
  background: ignored,
  transparent: refused("This provider makes no transparent images."),
  moderation: ignored,
  stream: emulated("the whole image as an event"),
  partialImages: ignored,
  inputFidelity: ignored,
  otherFields: emulated("its own input, for [some](queues.md); others are warned"),
} satisfies Partial<ImagesCapabilities>;

/** The paths of the caller's fields that the model will not see. Throws a 400 as `fitImages` does. */
export function fitJob(request: ImagesRequest, capabilities: ImagesCapabilities): readonly string[] {
  return fitImages(request, { ...capabilities, otherFields: ignored }).filter((name) => !inputFields.has(name));
}

/** The caller's own fields of the model. */
export function inputFieldsOf({ fields }: ImagesRequest): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => inputFields.has(name) && value !== null));
}

/** An image of an answer, at an address or in a `data:` URL. Throws an `AnswerFault` if it is neither. */
export function madeImageAt(url: unknown, size: string | null): MadeImage {
  if (typeof url !== "string") throw new AnswerFault("An image of the answer has no address.");
  const data = parseDataUrl(url);
  const content =
    data === null
      ? ({ type: "url", url } as const)
      : ({ type: "base64", base64: Buffer.from(data.base64, "latin1") } as const);
  return { content, revisedPrompt: null, size };
}
