import type { Script } from "../script/script.ts";
import { draw, type Motif } from "./draw.ts";
import { writePng } from "./png.ts";

const page = Buffer.from("<!doctype html>\n<html><body><h1>Please sign in</h1></body></html>\n");
const vectors = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>\n');

/** The bytes of a picture, with the faults of the script. */
export function writePicture(motif: Motif, { picture, picture_bytes: bytes }: Script): Uint8Array {
  if (picture === "html") return page;
  if (picture === "svg") return vectors;
  const png = writePng(draw(motif), bytes ?? 0);
  return picture === "truncated" ? png.subarray(0, Math.floor(png.length / 2)) : png;
}

/** How many pictures are delivered of so many. */
export function delivered(asked: number, { pictures }: Script): number {
  return Math.min(asked, pictures ?? asked);
}

/** Width and height of a size such as `1024x1536`; null if it is none. */
export function sizeOf(text: string): { readonly width: number; readonly height: number } | null {
  const [, width = "", height = ""] = /^(\d{1,4})x(\d{1,4})$/.exec(text) ?? [];
  return width === "" ? null : { width: Number(width), height: Number(height) };
}
