import { invalidParameter } from "../../errors.ts";
import { sniffContentType } from "../../http/sniff-content-type.ts";
import { measurePixels, pixelHeadBytes } from "../../http/measure-pixels.ts";
import type { UploadedFile } from "../uploaded-files.ts";
import type { ImageContent } from "./images.ts";

/** What OpenAI takes as one image. */
const maxImageBytes = 50 << 20;

const extensions: Readonly<Record<string, string>> = { "image/jpeg": "jpg", "image/svg+xml": "svg" };

/** A file as an image. Rejects with a 400 that names the field if it is none, or too large. */
export async function contentOfFile(file: UploadedFile, path: string): Promise<ImageContent> {
  const { size, stream, filename, contentType } = file;
  checkImage(contentType, size, path);
  return { size, stream, filename, contentType, pixels: measurePixels(await headOf(stream)) };
}

/** Bytes in memory as an image. Throws a 400 that names the field if they are none, or too many. */
export function contentOfBytes(bytes: Uint8Array, path: string): ImageContent {
  const contentType = sniffContentType(bytes);
  checkImage(contentType, bytes.length, path);
  const filename = `image.${extensions[contentType] ?? contentType.slice("image/".length)}`;
  const stream = () => oneByOne(bytes);
  return { size: bytes.length, stream, filename, contentType, pixels: measurePixels(bytes) };
}

function checkImage(contentType: string, size: number, path: string): void {
  // A browser would run the scripts of an SVG, and no model reads one.
  if (!contentType.startsWith("image/") || contentType === "image/svg+xml") {
    throw invalidParameter(path, `an image (PNG, JPEG, WebP), and not ${contentType}`);
  }
  if (size > maxImageBytes) throw invalidParameter(path, `an image of at most ${maxImageBytes} bytes`);
}

/** The first bytes of a content, up to as many as its size needs. */
export async function headOf(stream: () => AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of stream()) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= pixelHeadBytes) break;
  }
  return Buffer.concat(pieces);
}

async function* oneByOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const pieceBytes = 256 << 10;
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
