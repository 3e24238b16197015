import { invalidParameter } from "../../errors.ts";
import type { ImagesRequest, InputImage, Pixels } from "./images.ts";

/** Refuses a mask of another size than the first image, as far as both are known. Throws a 400 that names the mask. */
export function checkMask({ images, mask }: Pick<ImagesRequest, "images" | "mask">): void {
  if (mask === null) return;
  const own = pixelsOf(mask);
  const ofImage = pixelsOf(images[0] ?? mask);
  if (own === null || ofImage === null) return;
  if (own.width === ofImage.width && own.height === ofImage.height) return;
  throw invalidParameter(mask.path, `a mask of the size of the image, which is ${ofImage.width}x${ofImage.height}`);
}

function pixelsOf({ source }: InputImage): Pixels | null {
  return source.type === "content" ? source.content.pixels : null;
}
