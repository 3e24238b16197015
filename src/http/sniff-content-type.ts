/** How files of the usual types begin. A dot stands for any byte. The first that fits counts. */
const beginnings: readonly (readonly [beginning: RegExp, type: string])[] = [
  [/^\x89PNG\r\n\x1a\n/s, "image/png"],
  [/^\xff\xd8\xff/s, "image/jpeg"],
  [/^GIF8[79]a/s, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^.{4}ftyp(avif|avis)/s, "image/avif"],
  [/^.{4}ftyp(heic|heix|mif1)/s, "image/heic"],
  [/^(II\*\0|MM\0\*)/s, "image/tiff"],
  [/^%PDF-/s, "application/pdf"],
  [/^RIFF.{4}WAVE/s, "audio/wav"],
  [/^(ID3|\xff[\xfb\xf3\xf2\xfa])/s, "audio/mpeg"],
  [/^\xff[\xf1\xf9]/s, "audio/aac"],
  [/^OggS/s, "audio/ogg"],
  [/^fLaC/s, "audio/flac"],
  [/^.{4}ftyp(M4A|M4B)/s, "audio/mp4"],
  [/^.{4}ftypqt/s, "video/quicktime"],
  [/^.{4}ftyp/s, "video/mp4"],
  [/^\x1a\x45\xdf\xa3/s, "video/webm"],
  [/^RIFF.{4}AVI /s, "video/x-msvideo"],
  [/^PK(\x03\x04|\x05\x06)/s, "application/zip"],
  [/^\x1f\x8b\x08/s, "application/gzip"],
];

/** The longest of these beginnings, in bytes. */
const beginningBytes = 16;

/** The type of a file by its first bytes; null if it begins like none of the usual types of media. */
export function sniffMediaType(start: Uint8Array): string | null {
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, beginningBytes)).toString("latin1");
  return beginnings.find(([beginning]) => beginning.test(text))?.[1] ?? null;
}

/** The bytes that `sniffContentType` looks at. */
export const sniffedBytes = 4 << 10;

/** Types that a browser would run scripts of. */
const activeTypes: readonly (readonly [mark: RegExp, type: string])[] = [
  [/<(!doctype\s+html|html|head|body|script|iframe|style|title|table|div|meta)[\s>/]/i, "text/html"],
  [/<svg[\s>]/i, "image/svg+xml"],
  [/^\s*<\?xml\s/i, "application/xml"],
];

/**
 * The type of a file by its first bytes, whatever its sender says: of media, of text that browsers run (HTML, SVG), else plain
 * text or `application/octet-stream`.
 */
export function sniffContentType(start: Uint8Array): string {
  const media = sniffMediaType(start);
  if (media !== null) return media;
  const seen = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, sniffedBytes));
  const isWide = (seen[0] === 0xff && seen[1] === 0xfe) || (seen[0] === 0xfe && seen[1] === 0xff);
  const text = isWide ? seen.toString("utf16le") : seen.toString("utf8");
  // oxlint-disable-next-line no-control-regex -- what a text does not have
  if (!isWide && /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text)) return "application/octet-stream";
  if (/^\ufeff?\s*</.test(text)) {
    const active = activeTypes.find(([mark]) => mark.test(text));
    if (active !== undefined) return active[1];
  }
  // The last character may be cut in two.
  return isWide || !text.slice(0, -1).includes("\ufffd") ? "text/plain" : "application/octet-stream";
}
