import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import { invalidParameter } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import { fitVideo } from "../../operations/videos/fit-video.ts";
import type { VideoCapabilities, VideoRequest } from "../../operations/videos/video.ts";
import { aspectRatioOf } from "./aspect-ratio.ts";
import type { JobBody } from "./job-body.ts";

/** Of a picture that a film begins with, in bytes: it goes up as a `data:` URL. */
const maxImageBytes = 20 << 20;

/** Fields of models of films that callers may send beside OpenAI's. Forms have them as texts. */
const inputFields: Readonly<Record<string, "number" | "text">> = {
  seed: "number",
  cfg_scale: "number",
  guidance_scale: "number",
  num_inference_steps: "number",
  negative_prompt: "text",
};

const capabilities: VideoCapabilities = {
  seconds: emulated("`duration`, in the model's own words"),
  size: emulated("the aspect ratio, and the resolution where the model has one"),
  imageFile: carried,
  imageUrl: carried,
  remix: refused("This provider does not change films that it has made."),
  otherFields: emulated("its own input, for [some](queues.md); others are warned"),
};

/** What models of films behind a queue of jobs do. */
export const filmCapabilities = capabilities;

/** What a family of models calls the fields of a film. */
export interface FilmInput {
  /** How it writes so many seconds: `"5"`, `"8s"` or 5. Null: its films have one length. */
  readonly duration: "text" | "seconds" | "number" | null;
  /** The ratios of its `aspect_ratio`; null if it has none. */
  readonly ratios: readonly string[] | null;
  /** The words of its `resolution`, the least first; null if it has none. */
  readonly resolutions: readonly string[] | null;
  /** The field of the picture that a film begins with. */
  readonly image: string;
}

/** The paths of the caller's fields that the model will not see. Throws a 400 that names the field. */
export function fitFilm(request: VideoRequest, { duration, ratios }: FilmInput): readonly string[] {
  const fitted = {
    ...capabilities,
    ...(duration === null && { seconds: refused("Films of this model have one length. Leave 'seconds' out.") }),
    ...(ratios === null && { size: ignored }),
    otherFields: ignored,
  };
  return fitVideo(request, fitted).filter((name) => !Object.hasOwn(inputFields, name));
}

/** The input of a model for a film. Throws a 400 that names the field. */
export function filmInputOf(request: VideoRequest, family: FilmInput, body: JobBody): JsonObject {
  const { prompt, seconds, size, image } = request;
  return {
    ...ownFieldsOf(request),
    prompt,
    ...(seconds !== undefined && family.duration !== null && { duration: durationOf(seconds, family.duration) }),
    ...(size !== undefined && sizeOf(size, family)),
    ...(image !== null && { [family.image]: imageUrlOf(image, body) }),
  };
}

function ownFieldsOf({ otherFields }: VideoRequest): JsonObject {
  const own: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(inputFields)) {
    const value = otherFields[name];
    if (value === undefined || value === null) continue;
    const isNumber = type === "number" && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
    own[name] = isNumber ? Number(value) : value;
  }
  return own;
}

function durationOf(seconds: number, form: Exclude<FilmInput["duration"], null>): string | number {
  if (form === "number") return seconds;
  return form === "seconds" ? `${seconds}s` : String(seconds);
}

/** A ratio, and a resolution by the shorter edge; or the model's own word for a ratio. */
function sizeOf(size: string, { ratios, resolutions }: FilmInput): JsonObject {
  if (ratios === null) return {};
  const [, across, down] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  if (across === undefined || down === undefined) return { aspect_ratio: size };
  const pixels = { width: Number(across), height: Number(down) };
  const edge = Math.min(pixels.width, pixels.height);
  if (edge === 0) throw invalidParameter("size", "a width and a height above 0");
  const resolution = resolutions?.find((word) => Number.parseInt(word, 10) >= edge) ?? resolutions?.at(-1);
  return { aspect_ratio: aspectRatioOf(pixels, ratios), ...(resolution !== undefined && { resolution }) };
}

function imageUrlOf(image: NonNullable<VideoRequest["image"]>, body: JobBody): string {
  if (image.kind === "url") return image.url;
  const { size, filename, contentType, stream } = image;
  if (size > maxImageBytes) throw invalidParameter("input_reference", `at most ${maxImageBytes} bytes`);
  return body.dataUrlOf({ size, filename, contentType, stream, pixels: null });
}
