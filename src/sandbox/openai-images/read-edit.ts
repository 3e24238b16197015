import { readParts, type SandboxFormPart, textOfPart } from "../form.ts";
import { isObject, type JsonObject } from "../json.ts";
import { invalidValue, missing } from "../openai-chat/check-value.ts";
import { parseBody } from "../openai-chat/parse-body.ts";
import { Refusal } from "../refusal.ts";
import { checkRequest } from "./check-request.ts";

/** An image that is to be edited. */
export interface SourceImage {
  readonly digest: string;
}

const maxImages = 16;
const numbers = ["n", "partial_images", "output_compression"];

/** Reads a request for edits, from a form or from JSON. Throws OpenAI's error. */
export function readEdit(
  body: Uint8Array,
  contentType: string,
): { readonly request: JsonObject; readonly images: readonly SourceImage[] } {
  if (!contentType.startsWith("multipart/")) return readJson(new TextDecoder().decode(body));
  const parts = readParts(body, contentType);
  if (parts === null) throw new Refusal(400, "Could not parse multipart form.");
  const request: JsonObject = {};
  for (const part of parts) if (part.filename === null) request[part.name] = valueOf(part);
  checkRequest(request, []);
  const files = (name: string) => parts.filter((part) => part.filename !== null && part.name === name);
  const images = [...files("image"), ...files("image[]")];
  if (images.length === 0) throw missing("image");
  if (images.length > maxImages) throw invalidValue("image", `At most ${maxImages} images are allowed.`);
  for (const image of [...images, ...files("mask")]) checkImage(image.bytes, image.name);
  const [mask] = files("mask");
  if (mask !== undefined) checkMask(mask.bytes, images[0]?.bytes ?? mask.bytes);
  return { request, images: images.map(({ bytes }) => ({ digest: digestOf(bytes) })) };
}

function valueOf(part: SandboxFormPart): unknown {
  const value = textOfPart(part);
  if (numbers.includes(part.name) && /^\d+$/.test(value)) return Number(value);
  if (part.name === "sandbox") return parseBody(value);
  return part.name === "stream" && /^(true|false)$/.test(value) ? value === "true" : value;
}

function readJson(text: string): { readonly request: JsonObject; readonly images: readonly SourceImage[] } {
  const { images, mask, ...request } = parseBody(text);
  checkRequest(request, []);
  if (!Array.isArray(images) || images.length === 0) throw missing("images");
  if (images.length > maxImages) throw invalidValue("images", `At most ${maxImages} images are allowed.`);
  const read = images.map((image, index) => readReference(image, `images[${index}]`));
  if (mask !== undefined) readReference(mask, "mask");
  return { request, images: read };
}

function readReference(reference: unknown, path: string): SourceImage {
  const url = isObject(reference) ? reference["image_url"] : undefined;
  if (typeof url !== "string") throw missing(`${path}.image_url`);
  const base64 = /^data:image\/[a-z]+;base64,(.+)$/s.exec(url)?.[1];
  if (base64 !== undefined) checkImage(Buffer.from(base64, "base64"), path);
  else if (!url.startsWith("https://")) throw invalidValue(path, "Invalid image_url.");
  return { digest: digestOf(Buffer.from(base64 === undefined ? url : "", "utf8")) };
}

function checkImage(bytes: Uint8Array, path: string): void {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (/^(\x89PNG|\xff\xd8\xff|RIFF.{4}WEBP)/s.test(start)) return;
  throw invalidValue(path, "Invalid image file or mode for image edit.", "invalid_image_file");
}

/** Both are PNG, whose width and height stand at the same place. */
function checkMask(mask: Uint8Array, image: Uint8Array): void {
  if (Buffer.compare(mask.subarray(16, 24), image.subarray(16, 24)) === 0) return;
  throw invalidValue("mask", "Invalid mask image size.", "invalid_mask_image");
}

function digestOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
