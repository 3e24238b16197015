import { invalidParameter, missingParameter } from "../../../errors.ts";
import { readJsonObject } from "../../../json/read-object.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { MultipartForm } from "../../../multipart/form.ts";
import type { ReadContext, RequestBody } from "../../../operations/operation.ts";
import type { InputImage } from "../../../operations/videos/video.ts";
import type { UploadedFile } from "../../../operations/uploaded-files.ts";
import { readModelName } from "../../fields/model-name.ts";

/** OpenAI's limit, in characters. */
const maxPrompt = 32_000;
/** No model makes longer films; what a model declares may be less. */
const maxSeconds = 3_600;
const maxUrl = 16 << 20;
const pictures: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"]);
const films: ReadonlySet<string> = new Set(["video/mp4", "video/quicktime", "video/webm"]);

/** The fields of a request for a film, checked. */
export interface VideoFields {
  readonly model: string | null;
  readonly prompt: string;
  readonly seconds: number | undefined;
  readonly size: string | undefined;
  readonly image: InputImage | null;
  readonly otherFields: JsonObject;
}

const ownFields: ReadonlySet<string> = new Set(["model", "prompt", "seconds", "size", "input_reference", "user"]);

type Files = Pick<ReadContext, "files" | "identity">;

/** Reads the body of a request for a film: a form, which the SDKs send, or JSON. Rejects with a 400 that names the field. */
export async function readVideoFields(body: RequestBody, context: Files): Promise<VideoFields> {
  if (body.kind === "multipart") return readForm(body.form, context);
  if (body.kind === "none") throw missingParameter("prompt");
  const { body: fields } = readJsonObject(body.text, new Set());
  return readFields(fields, await imageOf(fields.input_reference, context));
}

async function readForm(form: MultipartForm, context: Files): Promise<VideoFields> {
  const fields: Record<string, unknown> = {};
  let image: InputImage | null = null;
  for (const name of form.names) {
    if (name === "input_reference" && isFile(form, name)) image = imageOfFile(form.file(name), name);
    else if (name.startsWith("input_reference[")) fields.input_reference = nested(form, name, fields.input_reference);
    else fields[name] = form.field(name);
  }
  return readFields(fields, image ?? (await imageOf(fields.input_reference, context)));
}

/** Whether a part is a file, and not a text. */
function isFile(form: MultipartForm, name: string): boolean {
  try {
    form.fields(name);
    return false;
  } catch {
    return true;
  }
}

/** `input_reference[image_url]`, as SDKs write objects in forms. */
function nested(form: MultipartForm, name: string, known: unknown): JsonObject {
  const key = name.slice("input_reference[".length, -1);
  return { ...(isObject(known) ? known : {}), [key]: form.field(name) };
}

function imageOfFile(file: UploadedFile, path: string): InputImage {
  if (!pictures.has(file.contentType) && !films.has(file.contentType)) {
    throw invalidParameter(path, "a picture (PNG, JPEG, WebP, GIF or AVIF), or a film (MP4, WebM)");
  }
  const { filename, contentType, size } = file;
  return { kind: "file", filename, contentType, size, stream: () => file.stream() };
}

async function imageOf(value: unknown, { files, identity }: Files): Promise<InputImage | null> {
  if (value === undefined || value === null) return null;
  const given = isObject(value) ? value : { image_url: value };
  const { file_id: fileId, image_url: url } = given;
  if (fileId !== undefined && fileId !== null) {
    const path = "input_reference.file_id";
    if (typeof fileId !== "string") throw invalidParameter(path, "the id of a file");
    if (url !== undefined && url !== null) throw invalidParameter("input_reference", "an image_url or a file_id");
    return imageOfFile(await files.open(identity.key.accountId, fileId), path);
  }
  if (typeof url !== "string" || url.length > maxUrl || !/^(https?:\/\/|data:image\/)/i.test(url)) {
    throw invalidParameter(
      "input_reference",
      "a file, or an object with a file_id or an image_url (https:, or data:image/)",
    );
  }
  return { kind: "url", url };
}

function readFields(fields: JsonObject, image: InputImage | null): VideoFields {
  const { model, prompt } = fields;
  if (prompt === undefined || prompt === null) throw missingParameter("prompt");
  if (typeof prompt !== "string" || prompt.trim() === "" || prompt.length > maxPrompt) {
    throw invalidParameter("prompt", `a text of 1 to ${maxPrompt} characters`);
  }
  if (prompt.includes("\0") || !prompt.isWellFormed())
    throw invalidParameter("prompt", "a text without NUL characters");
  const others: Record<string, unknown> = {};
  for (const name in fields) if (!ownFields.has(name)) others[name] = fields[name];
  return {
    model: model === undefined || model === null ? null : readModelName(model),
    prompt,
    seconds: readSeconds(fields.seconds),
    size: readSize(fields.size),
    image,
    otherFields: others,
  };
}

/** A text at OpenAI; a number will do. */
function readSeconds(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === "string" && /^\d{1,4}(\.\d{1,3})?$/.test(value) ? Number(value) : value;
  if (typeof seconds === "number" && seconds > 0 && seconds <= maxSeconds) return seconds;
  throw invalidParameter("seconds", `a number of seconds above 0, up to ${maxSeconds}, such as "8"`);
}

/** Another word than a size in pixels may be one that the provider knows. */
function readSize(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && /^[\w.:-]{1,32}$/.test(value)) {
    // Prices are found by it: it has one spelling.
    return value.replace(/^0*(\d{1,5})x0*(\d{1,5})$/, "$1x$2");
  }
  throw invalidParameter("size", "a size in pixels, such as 1280x720");
}
