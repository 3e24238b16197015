import type { Call, Frame } from "../dialect.ts";
import { isObject, type JsonObject } from "../json.ts";
import { invalidValue } from "../openai-chat/check-value.ts";
import { chatError } from "../openai-chat/errors.ts";
import { parseBody } from "../openai-chat/parse-body.ts";
import type { Motif } from "../pictures/draw.ts";
import { delivered, sizeOf, writePicture } from "../pictures/picture.ts";
import { promptOfTexts } from "../prompt.ts";
import type { Reply } from "../reply.ts";
import { findDirectiveText } from "../script/directive-text.ts";
import type { Script } from "../script/script.ts";
import { countTokens } from "../tokens.ts";
import { checkRequest, isDallE } from "./check-request.ts";
import { pictureUrl } from "./picture-url.ts";
import { readEdit, type SourceImage } from "./read-edit.ts";

/** Reads a request for images by a text. Throws OpenAI's error if it is invalid. */
export function readGenerationCall(body: string, origin: string): Call {
  const request = parseBody(body);
  checkRequest(request, []);
  return imagesCall(request, [], "image_generation", origin);
}

/** Reads a request for edits of images, in either form. Throws OpenAI's error if it is invalid. */
export function readEditCall(body: Uint8Array, contentType: string, origin: string): Call {
  const { request, images } = readEdit(body, contentType);
  return imagesCall(request, images, "image_edit", origin);
}

function imagesCall(
  request: JsonObject,
  images: readonly SourceImage[],
  kind: "image_generation" | "image_edit",
  origin: string,
): Call {
  const model = String(request["model"]);
  const prompt = String(request["prompt"]);
  return {
    prompt: promptOfTexts(model, [prompt]),
    stream: request["stream"] === true,
    directives: request["sandbox"],
    check({ refusal }) {
      if (refusal === undefined) return;
      const message = `Your request was rejected by the safety system. ${refusal}`;
      throw invalidValue("prompt", message, "moderation_blocked");
    },
    writeJson: (reply, script) => JSON.stringify(writeAnswer(request, images, reply, script, origin)),
    streamContentType: "text/event-stream",
    writeStream: (reply, script) => writeEvents(request, images, kind, reply, script),
    errorFrame: (failure) => ({
      event: "error",
      data: JSON.stringify({ type: "error", ...Object(chatError(failure)) }),
    }),
  };
}

function motifOf(request: JsonObject, images: readonly SourceImage[], index: number): Motif {
  const prompt = String(request["prompt"]);
  const said = findDirectiveText(prompt)?.remainingText ?? prompt;
  const size = sizeOf(typeof request["size"] === "string" ? request["size"] : "") ?? { width: 1_024, height: 1_024 };
  const text = [said.trim(), ...images.map(({ digest }) => digest), index].join("\n");
  return { text, ...size, isTransparent: request["background"] === "transparent" };
}

function writeAnswer(
  request: JsonObject,
  images: readonly SourceImage[],
  { created }: Reply,
  script: Script,
  origin: string,
): unknown {
  const model = String(request["model"]);
  const n = typeof request["n"] === "number" ? request["n"] : 1;
  const isUrl = request["response_format"] === "url" || (isDallE(model) && request["response_format"] === undefined);
  const data = Array.from({ length: delivered(n, script) }, (_, index) => {
    const motif = motifOf(request, images, index);
    if (isUrl) return { url: pictureUrl(origin, motif, script) };
    const b64 = Buffer.from(writePicture(motif, script)).toString("base64");
    return { b64_json: b64, ...(isDallE(model) && { revised_prompt: motif.text.split("\n", 1)[0] }) };
  });
  return { created, data, ...(isDallE(model) ? {} : factsOf(request, images, data.length, script)) };
}

/** What OpenAI says of the images of its GPT models. */
function factsOf(request: JsonObject, images: readonly SourceImage[], count: number, script: Script) {
  const { width, height } = motifOf(request, images, 0);
  const usage = usageOf(request, images, count, script);
  const quality = request["quality"];
  return {
    background: request["background"] === "transparent" ? "transparent" : "opaque",
    output_format: "png",
    size: `${width}x${height}`,
    quality: typeof quality === "string" && quality !== "auto" ? quality : "medium",
    ...(usage !== undefined && { usage }),
  };
}

/** Tokens of an image of one megapixel by its quality. */
const outputTokens: Readonly<Record<string, number>> = { low: 272, medium: 1_056, high: 4_160 };
const tokensOfInput = 323;

function usageOf(
  request: JsonObject,
  images: readonly SourceImage[],
  count: number,
  { usage, tokens }: Script,
): unknown {
  if (usage === null || usage === "none") return undefined;
  if (isObject(usage)) return usage;
  const { width, height } = motifOf(request, images, 0);
  const quality = typeof request["quality"] === "string" ? request["quality"] : "medium";
  const each = Math.ceil(((outputTokens[quality] ?? 1_056) * width * height) / (1 << 20));
  const ofImages = images.length * tokensOfInput;
  const input = tokens?.input ?? countTokens(String(request["prompt"])) + ofImages;
  const output = tokens?.output ?? each * count;
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: input - ofImages, image_tokens: ofImages },
    output_tokens: output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
    total_tokens: input + output,
  };
}

function* writeEvents(
  request: JsonObject,
  images: readonly SourceImage[],
  kind: string,
  { created }: Reply,
  script: Script,
): Generator<Frame> {
  const { usage, ...facts } = factsOf(request, images, 1, script);
  const partials = typeof request["partial_images"] === "number" ? request["partial_images"] : 0;
  const motif = motifOf(request, images, 0);
  const frame = (type: string, shapes: number | undefined, more: object): Frame => {
    const bytes = writePicture({ ...motif, ...(shapes !== undefined && { shapes }) }, script);
    const b64_json = Buffer.from(bytes).toString("base64");
    return { event: type, data: JSON.stringify({ type, b64_json, created_at: created, ...facts, ...more }) };
  };
  for (let index = 0; index < partials; index++) {
    yield frame(`${kind}.partial_image`, 1 + index, { partial_image_index: index });
  }
  if (script.no_done !== true) yield frame(`${kind}.completed`, undefined, usage === undefined ? {} : { usage });
}
