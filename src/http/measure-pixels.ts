import { disableTypes, imageSize } from "image-size";

// What is not to be measured is not parsed either. The order is that of the library's own list.
disableTypes([
  "bmp",
  "cur",
  "dds",
  "heif",
  "icns",
  "ico",
  "j2c",
  "jp2",
  "jxl",
  "jxl-stream",
  "ktx",
  "pnm",
  "psd",
  "svg",
  "tga",
  "tiff",
]);

/** Bytes at the beginning of an image that tell its size, in nearly all cases: in a JPEG, metadata comes first. */
export const pixelHeadBytes = 256 << 10;

/** How wide and high a PNG, JPEG, WebP or GIF is, by its first bytes; null if they do not tell, or it is another. */
export function measurePixels(start: Uint8Array): { readonly width: number; readonly height: number } | null {
  try {
    const { width, height } = imageSize(start.subarray(0, pixelHeadBytes));
    return width > 0 && height > 0 ? { width, height } : null;
  } catch {
    return null;
  }
}
