import type { JsonObject } from "../json.ts";
import { flag, integer, invalidValue, missing, oneOf, optional, text } from "../openai-chat/check-value.ts";
import { sizeOf } from "../pictures/picture.ts";

const common = ["model", "n", "prompt", "quality", "sandbox", "size", "user"];
/** Fields of models that answer with addresses. */
const ofDallE = ["response_format", "style"];
const ofGptImages = [
  "background",
  "input_fidelity",
  "moderation",
  "output_compression",
  "output_format",
  "partial_images",
  "safety_identifier",
  "stream",
];

const maxEdge = 3_840;

/** Models that always answer with base64. */
export function isGptImage(model: string): boolean {
  return model.includes("gpt-image");
}

export function isDallE(model: string): boolean {
  return model.includes("dall-e");
}

/** Checks a request as OpenAI does for its model. Other models take the fields of both kinds. Throws OpenAI's error. */
export function checkRequest(request: JsonObject, more: readonly string[]): void {
  for (const name of ["model", "prompt"]) if (request[name] === undefined) throw missing(name);
  const model = text(request["model"], "model");
  const known = [...common, ...more, ...(isGptImage(model) ? [] : ofDallE), ...(isDallE(model) ? [] : ofGptImages)];
  const unknown = Object.keys(request).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalidValue(unknown, `Unknown parameter: '${unknown.slice(0, 100)}'.`, "unknown_parameter");
  }
  const prompt = text(request["prompt"], "prompt");
  if (prompt === "") throw invalidValue("prompt", "Invalid 'prompt': string too short.", "string_below_min_length");
  optional(integer(1, 10))(request["n"], "n");
  optional(integer(0, 3))(request["partial_images"], "partial_images");
  optional(integer(0, 100))(request["output_compression"], "output_compression");
  optional(flag)(request["stream"], "stream");
  words(request, "response_format", "url", "b64_json");
  words(request, "style", "vivid", "natural");
  words(request, "background", "transparent", "opaque", "auto");
  words(request, "moderation", "low", "auto");
  words(request, "input_fidelity", "high", "low");
  words(request, "quality", "low", "medium", "high", "auto", "standard", "hd");
  words(request, "output_format", "png", "jpeg", "webp");
  if (request["output_format"] !== undefined && request["output_format"] !== "png") {
    throw invalidValue("output_format", "The sandbox makes png only.");
  }
  checkSize(request["size"] ?? "auto");
}

function words(request: JsonObject, name: string, ...allowed: readonly string[]): void {
  optional((value, path) => void oneOf(...allowed)(value, path))(request[name], name);
}

function checkSize(value: unknown): void {
  const size = text(value, "size");
  if (size === "auto") return;
  const pixels = sizeOf(size);
  const isPossible = pixels !== null && Object.values(pixels).every((edge) => edge > 0 && edge <= maxEdge);
  if (!isPossible) throw invalidValue("size", `Invalid value: '${size.slice(0, 100)}'.`);
}
