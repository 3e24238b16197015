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
  const head = start.subarray(0, pixelHeadBytes);
  if (isJpeg(head) && !leadsToFrame(head)) return null;
  try {
    const { width, height } = imageSize(head);
    return width > 0 && height > 0 ? { width, height } : null;
  } catch {
    return null;
  }
}

/** More segments before the frame than any camera or program writes. */
const maxSegments = 1_000;
const marker = 0xff;
/** Markers of frames, which tell the size; those between them are of tables. */
const firstFrame = 0xc0;
const lastFrame = 0xcf;

function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === marker && bytes[1] === 0xd8;
}

/**
 * Whether a JPEG's segments follow each other up to its frame. The library looks for it byte by byte if they do not, which takes 80
 * milliseconds.
 */
function leadsToFrame(bytes: Uint8Array): boolean {
  let at = 2;
  for (let segments = 0; segments < maxSegments; segments++) {
    const kind = bytes[at + 1] ?? 0;
    if (bytes[at] !== marker || kind < firstFrame) return false;
    const isTable = kind === 0xc4 || kind === 0xc8 || kind === 0xcc;
    if (kind <= lastFrame && !isTable) return true;
    const length = (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
    if (length < 2) return false;
    at += 2 + length;
  }
  return false;
}
