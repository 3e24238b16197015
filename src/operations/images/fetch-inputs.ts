import type { FetchMedia } from "../../upstream/fetch-media.ts";
import type { ImagesRequest, InputImage } from "./images.ts";
import { checkMask } from "./check-mask.ts";
import { contentOfBytes } from "./image-content.ts";

/** The request with the bytes in place of addresses. Throws a 400 that names the field if one cannot be had, or is no image. */
export async function fetchInputs(request: ImagesRequest, fetchMedia: FetchMedia): Promise<ImagesRequest> {
  const { images, mask } = request;
  const sources = [...images, ...(mask === null ? [] : [mask])].flatMap(({ path, source }) =>
    source.type === "url" ? [{ url: source.url, kind: "image" as const, path }] : [],
  );
  const unique = new Map(sources.map((source) => [source.url, source]));
  const fetched = await fetchMedia([...unique.values()]);
  const inlined = (image: InputImage): InputImage => {
    const found = image.source.type === "url" ? fetched.get(image.source.url) : undefined;
    if (found === undefined) return image;
    const content = contentOfBytes(Buffer.from(found.base64, "base64"), image.path);
    return { path: image.path, source: { type: "content", content } };
  };
  const inputs = { images: images.map(inlined), mask: mask && inlined(mask) };
  checkMask(inputs);
  return { ...request, ...inputs };
}
