import { isObject, listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { writePicture } from "../pictures/picture.ts";
import type { Reply } from "../reply.ts";
import { findDirectiveText } from "../script/directive-text.ts";
import type { Script } from "../script/script.ts";
import { invalidArgument } from "./check-shape.ts";
import { common } from "./write-answer.ts";

export type Size = readonly [width: number, height: number];

/** Pixels at 1K, as Google lists them. */
const sizes: Readonly<Record<string, Size>> = {
  "1:1": [1_024, 1_024],
  "2:3": [832, 1_248],
  "3:2": [1_248, 832],
  "3:4": [864, 1_184],
  "4:3": [1_184, 864],
  "4:5": [896, 1_152],
  "5:4": [1_152, 896],
  "9:16": [768, 1_344],
  "16:9": [1_344, 768],
  "21:9": [1_536, 672],
};
const factors: Readonly<Record<string, number>> = { "1K": 1, "2K": 2, "4K": 4 };

/** Tokens that an image is counted as, and those of one that is read. */
const tokensPerImage = 1_290;
const tokensPerInput = 258;

/** Whether a checked request asks for an image. Throws Google's error if it asks for it wrongly. */
export function asksForImage(request: JsonObject): boolean {
  const config = objectOrEmpty(request["generationConfig"]);
  if (!listOrEmpty(config["responseModalities"]).includes("IMAGE")) return false;
  sizeOf(objectOrEmpty(config["imageConfig"]), sizes, "imageSize", "generation_config.image_config");
  return true;
}

/** The image of a request as one inline part. */
export function writeImage(request: JsonObject, reply: Reply, script: Script): unknown {
  const config = objectOrEmpty(objectOrEmpty(request["generationConfig"])["imageConfig"]);
  const [width, height] = sizeOf(config, sizes, "imageSize", "image_config");
  const parts = listOrEmpty(request["contents"]).flatMap((content) => listOrEmpty(objectOrEmpty(content)["parts"]));
  const inputs = parts.map((part) => objectOrEmpty(objectOrEmpty(part)["inlineData"])["data"]).filter(isText);
  const said = parts
    .map((part) => objectOrEmpty(part)["text"])
    .filter(isText)
    .join("\n");
  const text = [withoutDirective(said), ...inputs.map((data) => Bun.hash(data).toString(16))].join("\n");
  const { usage, tokens } = script;
  const blocked = script.refusal !== undefined || script.pictures === 0;
  const input = tokens?.input ?? reply.tokens.input + inputs.length * tokensPerInput;
  const output = blocked ? 0 : (tokens?.output ?? tokensPerImage);
  const counts = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: input - inputs.length * tokensPerInput },
      ...(inputs.length > 0 ? [{ modality: "IMAGE", tokenCount: inputs.length * tokensPerInput }] : []),
    ],
    ...(output > 0 && { candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: output }] }),
  };
  const usageMetadata = usage === null || usage === "none" ? undefined : isObject(usage) ? usage : counts;
  if (blocked) {
    const candidates = [{ content: {}, finishReason: "IMAGE_SAFETY", finishMessage: script.refusal, index: 0 }];
    return { candidates, usageMetadata, ...common(reply) };
  }
  const data = Buffer.from(writePicture({ text, width, height }, script)).toString("base64");
  const part = { inlineData: { mimeType: "image/png", data } };
  return {
    candidates: [{ content: { parts: [part], role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata,
    ...common(reply),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A text without its directive. */
export function withoutDirective(text: string): string {
  return (findDirectiveText(text)?.remainingText ?? text).trim();
}

/** The pixels of an image, by its ratio and its resolution. Throws Google's error. */
export function sizeOf(
  config: JsonObject,
  known: Readonly<Record<string, Size>>,
  sizeField: string,
  path: string,
): Size {
  const ratio = config["aspectRatio"] ?? "1:1";
  const size = typeof ratio === "string" ? known[ratio] : undefined;
  if (size === undefined) {
    const allowed = Object.keys(known).map((name) => `'${name}'`);
    throw invalidArgument(`aspect_ratio must be one of ${allowed.join(", ")}.`, `${path}.aspect_ratio`);
  }
  const named = config[sizeField] ?? "1K";
  const factor = typeof named === "string" ? factors[named] : undefined;
  if (factor === undefined) throw invalidArgument("Unsupported image size.", `${path}.image_size`);
  return [size[0] * factor, size[1] * factor];
}
