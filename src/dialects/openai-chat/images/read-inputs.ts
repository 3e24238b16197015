import { invalidParameter, missingParameter } from "../../../errors.ts";
import { isObject } from "../../../json/values.ts";
import type { MultipartForm } from "../../../multipart/form.ts";
import { contentOfBytes, contentOfFile } from "../../../operations/images/image-content.ts";
import type { ImagesRequest, InputImage } from "../../../operations/images/images.ts";
import type { ReadContext } from "../../../operations/operation.ts";

/** Images to edit, and a mask. */
export type ReadInputs = Pick<ImagesRequest, "images" | "mask">;

const maxInputs = 16;
const maxUrlLength = 8_192;

/** The images of a form: `image`, once or several times, and `mask`. Rejects with a 400 that names the field. */
export async function inputsOfForm(form: MultipartForm): Promise<ReadInputs> {
  const files = form.files("image");
  if (files.length === 0) throw missingParameter("image");
  if (files.length > maxInputs) throw invalidParameter("image", `at most ${maxInputs} images`);
  const images: InputImage[] = [];
  for (const [index, file] of files.entries()) {
    const path = files.length === 1 ? "image" : `image[${index}]`;
    images.push({ path, source: { type: "content", content: await contentOfFile(file, path) } });
  }
  if (!form.names.has("mask")) return { images, mask: null };
  const content = await contentOfFile(form.file("mask"), "mask");
  return { images, mask: { path: "mask", source: { type: "content", content } } };
}

/** The images that JSON names: `{"image_url"}` or `{"file_id"}`. Rejects with a 400 that names the field. */
export async function inputsOfJson(
  images: unknown,
  mask: unknown,
  context: ReadContext,
): Promise<ReadInputs & { readonly hasFileIds: boolean }> {
  if (images === undefined || images === null) throw missingParameter("images");
  if (!Array.isArray(images)) throw invalidParameter("images", "an array");
  if (images.length === 0 || images.length > maxInputs) {
    throw invalidParameter("images", `1 to ${maxInputs} images`);
  }
  const read: InputImage[] = [];
  for (const [index, image] of images.entries()) read.push(await readReference(image, `images[${index}]`, context));
  const readMask = mask === undefined || mask === null ? null : await readReference(mask, "mask", context);
  const hasFileIds = [...read, ...(readMask ? [readMask] : [])].some(({ path }) => path.endsWith(".file_id"));
  return { images: read, mask: readMask, hasFileIds };
}

async function readReference(reference: unknown, path: string, { files, identity }: ReadContext): Promise<InputImage> {
  if (!isObject(reference)) throw invalidParameter(path, "an object with an 'image_url' or a 'file_id'");
  const { image_url: url, file_id: fileId } = reference;
  if ((url === undefined || url === null) === (fileId === undefined || fileId === null)) {
    throw invalidParameter(path, "either an 'image_url' or a 'file_id'");
  }
  if (typeof fileId === "string") {
    const field = `${path}.file_id`;
    const file = await files.open(identity.key.accountId, fileId);
    return { path: field, source: { type: "content", content: await contentOfFile(file, field) } };
  }
  if (typeof url !== "string")
    throw invalidParameter(`${path}.${url === undefined ? "file_id" : "image_url"}`, "a string");
  return readUrl(url, `${path}.image_url`);
}

function readUrl(url: string, path: string): InputImage {
  const data = /^data:[^,]{0,200};base64,/i.exec(url.slice(0, 256));
  if (data !== null) {
    const content = contentOfBytes(Buffer.from(url.slice(data[0].length), "base64"), path);
    return { path, source: { type: "content", content } };
  }
  if (url.length > maxUrlLength || !/^https?:\/\//i.test(url) || URL.parse(url) === null) {
    throw invalidParameter(path, "an https:// address, or a data: address in base64");
  }
  return { path, source: { type: "url", url } };
}
