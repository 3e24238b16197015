import { imageSize } from "image-size";

/** Bytes at the beginning of an image that tell its size, in nearly all cases: in a JPEG, metadata comes first. */
export const pixelHeadBytes = 256 << 10;

/** How wide and high an image is, by its first bytes; null if they do not tell. */
export function measurePixels(start: Uint8Array): { readonly width: number; readonly height: number } | null {
  try {
    const { width, height } = imageSize(start.subarray(0, pixelHeadBytes));
    return width > 0 && height > 0 ? { width, height } : null;
  } catch {
    return null;
  }
}
