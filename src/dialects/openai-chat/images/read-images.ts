import { invalidParameter } from "../../../errors.ts";
import type { RequestHeaders } from "../../../http/headers.ts";
import { fieldNames, refuseOtherCase } from "../../../json/field-names.ts";
import { readJsonObject } from "../../../json/read-object.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { MultipartForm } from "../../../multipart/form.ts";
import { jsonText } from "../../../operations/conversation.ts";
import { checkMask } from "../../../operations/images/check-mask.ts";
import { imageFields } from "../../../operations/images/known-fields.ts";
import type { ImagesRequest, Pixels, SentImages } from "../../../operations/images/images.ts";
import type { ReadContext, RequestBody } from "../../../operations/operation.ts";
import { readModelName } from "../../fields/model-name.ts";
import {
  optionalBoolean,
  optionalInteger,
  optionalString,
  optionalWord,
  requiredString,
} from "../../fields/read-field.ts";
import { inputsOfForm, inputsOfJson } from "./read-inputs.ts";

const maxImages = 10;
const maxPartialImages = 3;
/** In UTF-16 units. */
const maxPrompt = 32_000;
const maxEdge = 16_384;

const changeable: ReadonlySet<string> = new Set(["model"]);
const knownFields = fieldNames([...imageFields, "image", "images", "mask"]);

/** Fields of a form that are numbers or booleans in JSON. */
const numbers: ReadonlySet<string> = new Set(["n", "output_compression", "partial_images"]);
const booleans: ReadonlySet<string> = new Set(["stream"]);

/** Reads a request for images by a text. Throws a 400 that names the field. */
export function readGeneration(body: RequestBody, { headers }: ReadContext): ImagesRequest {
  const text = jsonText(body);
  const { body: fields, members } = readJsonObject(text, changeable);
  const sent = { kind: "json", text, members, hasFileIds: false } as const;
  return { ...readFields(fields, sent, headers), kind: "image_generation", images: [], mask: null };
}

/** Reads a request for edits of images, from a form or from JSON. Rejects with a 400 that names the field. */
export async function readEdit(body: RequestBody, context: ReadContext): Promise<ImagesRequest> {
  if (body.kind === "multipart") {
    const { form } = body;
    const read = readFields(fieldsOf(form), { kind: "form", form }, context.headers);
    const inputs = await inputsOfForm(form);
    checkMask(inputs);
    return { ...read, kind: "image_edit", ...inputs };
  }
  const text = jsonText(body);
  const { body: all, members } = readJsonObject(text, changeable);
  const { images, mask, ...fields } = all;
  if (all.image !== undefined) throw invalidParameter("image", "'images' in JSON: [{\"image_url\": ...}]");
  const sent = { kind: "json", text, members, hasFileIds: false } as const;
  const read = readFields(fields, sent, context.headers);
  const { hasFileIds, ...inputs } = await inputsOfJson(images, mask, context);
  checkMask(inputs);
  return { ...read, sent: { ...sent, hasFileIds }, kind: "image_edit", ...inputs };
}

/** The fields of a form as JSON would have them. */
function fieldsOf(form: MultipartForm): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const name of form.names) {
    if (name === "image" || name === "mask") continue;
    const values = form.fields(name);
    const [value] = values;
    const known = knownFields.has(name);
    // Of OpenAI's own fields none is there twice.
    if (values.length > 1) fields[name] = known ? form.field(name) : values;
    else fields[name] = value === undefined ? null : valueOf(name, value);
  }
  return fields;
}

function valueOf(name: string, value: string): unknown {
  if (numbers.has(name) && /^-?\d{1,9}$/.test(value)) return Number(value);
  return booleans.has(name) && (value === "true" || value === "false") ? value === "true" : value;
}

function readFields(
  fields: JsonObject,
  sent: SentImages,
  headers: RequestHeaders,
): Omit<ImagesRequest, "kind" | "images" | "mask"> {
  refuseOtherCase(fields, knownFields);
  const model = readModelName(fields.model);
  const prompt = requiredString(fields.prompt, "prompt");
  if (prompt.trim() === "") throw invalidParameter("prompt", "a text that is not empty");
  if (prompt.length > maxPrompt) throw invalidParameter("prompt", `at most ${maxPrompt} characters`);
  const size = word(fields, "size");
  const pixels = pixelsOf(size);
  return {
    model,
    stream: optionalBoolean(fields.stream, "stream") ?? false,
    prompt,
    n: whole(fields, "n", 1, maxImages) ?? 1,
    // Its price must not hang on how it is written.
    size: pixels === null ? size : `${pixels.width}x${pixels.height}`,
    pixels,
    quality: word(fields, "quality"),
    style: word(fields, "style"),
    background: word(fields, "background"),
    moderation: word(fields, "moderation"),
    outputFormat: word(fields, "output_format"),
    outputCompression: whole(fields, "output_compression", 0, 100),
    responseFormat: optionalWord(fields.response_format, "response_format", ["url", "b64_json"]),
    partialImages: whole(fields, "partial_images", 0, maxPartialImages),
    inputFidelity: word(fields, "input_fidelity"),
    fields,
    sent,
    origin: originOf(headers),
  };
}

/** Another word than OpenAI's may be one that the provider knows. */
function word(fields: JsonObject, name: string): string | undefined {
  const value = optionalString(fields[name], name);
  if (value === undefined || /^[\w.:-]{1,64}$/.test(value)) return value;
  throw invalidParameter(name, "a word of at most 64 letters and digits");
}

function whole(fields: JsonObject, name: string, min: number, max: number): number | undefined {
  const number = optionalInteger(fields[name], name);
  if (number === undefined || (number >= min && number <= max)) return number;
  throw invalidParameter(name, `a whole number from ${min} to ${max}`);
}

/** Throws a 400 if it is a size that no image has. */
function pixelsOf(size: string | undefined): Pixels | null {
  const [, width = "", height = ""] = /^(\d{1,9})x(\d{1,9})$/i.exec(size ?? "") ?? [];
  if (width === "") return null;
  const pixels = { width: Number(width), height: Number(height) };
  if (Object.values(pixels).every((edge) => edge > 0 && edge <= maxEdge)) return pixels;
  throw invalidParameter("size", `a width and a height of 1 to ${maxEdge}, such as 1024x1024`);
}

/** The address under which the caller knows the gateway, also behind a proxy that ends TLS. */
function originOf(headers: RequestHeaders): string {
  const host = headers.get("host") ?? "";
  const protocol = headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${protocol}://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : "localhost"}`;
}
