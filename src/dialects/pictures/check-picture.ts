import { measurePixels, pixelHeadBytes } from "../../http/measure-pixels.ts";
import { sniffContentType } from "../../http/sniff-content-type.ts";
import type { Pixels } from "../../operations/images/images.ts";
import { AnswerFault } from "../exchange.ts";
import { decodeBase64, decodedLength } from "./base64-bytes.ts";

/** What the bytes of a picture say of it. */
export interface CheckedPicture {
  readonly contentType: string;
  /** Null if the bytes do not tell. */
  readonly pixels: Pixels | null;
}

/** What a file's last bytes are looked for in: encoders may leave something behind the end. */
const tailBytes = 64;

/**
 * Looks at the first and the last bytes of what a provider calls an image. Throws an `AnswerFault` if it is none, or breaks off.
 * @param mayBeSvg whether SVG was asked for, of which a browser would run the scripts
 */
export function checkPicture(start: Uint8Array, end: Uint8Array, size: number, mayBeSvg: boolean): CheckedPicture {
  if (size === 0) throw new AnswerFault("An image of the answer is empty.");
  const contentType = sniffContentType(start);
  const isImage = contentType.startsWith("image/") && (mayBeSvg || contentType !== "image/svg+xml");
  if (!isImage) throw new AnswerFault(`An image of the answer is none, but ${contentType}.`);
  const isWhole = endings[contentType]?.(Buffer.from(end), start, size) ?? true;
  if (!isWhole) throw new AnswerFault("An image of the answer breaks off.");
  return { contentType, pixels: measurePixels(start) };
}

/** The same for bytes in memory. */
export function checkPictureBytes(bytes: Uint8Array, mayBeSvg: boolean): CheckedPicture {
  return checkPicture(bytes.subarray(0, pixelHeadBytes), bytes.subarray(-tailBytes), bytes.length, mayBeSvg);
}

/** The same for base64, of which only the ends are decoded. */
export function checkPictureBase64(base64: Uint8Array, mayBeSvg: boolean): CheckedPicture {
  const { length } = base64;
  const head = decodeBase64(base64, 0, Math.min(length, Math.ceil(pixelHeadBytes / 3) * 4));
  const tailFrom = Math.max(0, (length - tailBytes * 2) & ~3);
  return checkPicture(head, decodeBase64(base64, tailFrom), decodedLength(base64), mayBeSvg);
}

type Ending = (end: Buffer, start: Uint8Array, size: number) => boolean;

/** How whole files end, by their types. */
const endings: Readonly<Record<string, Ending>> = {
  "image/png": (end) => end.includes("IEND"),
  "image/jpeg": (end) => end.includes(Buffer.from([0xff, 0xd9])),
  "image/gif": (end) => end.includes(0x3b),
  "image/webp": (_end, start, size) => Buffer.from(start).readUInt32LE(4) + 8 <= size + 1,
};
