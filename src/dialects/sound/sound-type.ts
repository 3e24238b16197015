/** A kind of sound as its first bytes tell it. */
export interface SoundType {
  readonly contentType: string;
  /** Of a file with such sound. */
  readonly extension: string;
}

export type SoundName = "mp3" | "ogg" | "aac" | "flac" | "wav" | "pcm" | "mp4" | "webm" | "unknown";

export const soundTypes: Readonly<Record<SoundName, SoundType>> = {
  mp3: { contentType: "audio/mpeg", extension: "mp3" },
  ogg: { contentType: "audio/ogg", extension: "ogg" },
  aac: { contentType: "audio/aac", extension: "aac" },
  flac: { contentType: "audio/flac", extension: "flac" },
  wav: { contentType: "audio/wav", extension: "wav" },
  pcm: { contentType: "audio/pcm", extension: "pcm" },
  mp4: { contentType: "audio/mp4", extension: "m4a" },
  webm: { contentType: "audio/webm", extension: "webm" },
  unknown: { contentType: "application/octet-stream", extension: "bin" },
};

/** Samples of raw sound (`pcm`) as OpenAI has them: 24 kHz, 16 bits, little-endian, one channel. */
export const pcmBytesPerSecond = 48_000;

/** So many bytes tell what they are. */
export const sniffedBytes = 64;

/**
 * What bytes are, by their beginning: `text` for what is no sound (HTML, SVG, JSON, any other text), null if the beginning
 * says nothing, as that of raw samples does.
 * @param head up to `sniffedBytes`
 * @param assumed what was asked for: raw samples may begin like a frame
 */
export function sniffSound(head: Uint8Array, assumed: SoundName = "unknown"): SoundName | "text" | null {
  const ascii = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  for (const [offset, magic, name] of magics) if (ascii.startsWith(magic, offset)) return name;
  const frame = assumed === "pcm" ? null : sniffFrame(head);
  return frame ?? (isText(ascii) ? "text" : null);
}

/** Of both formats a frame begins with eleven or twelve set bits; the layer of AAC is 0. The rest must be possible. */
function sniffFrame(head: Uint8Array): "aac" | "mp3" | null {
  const [first = 0, second = 0, third] = head;
  if (first !== 0xff || third === undefined) return null;
  if ((second & 0xf6) === 0xf0) return ((third >> 2) & 15) < 13 ? "aac" : null;
  const layer = 4 - ((second >> 1) & 3);
  const hasSync = (second & 0xe0) === 0xe0 && ((second >> 3) & 3) !== 1;
  // No one speaks in layer I, whose bits are those of a mark of UTF-16 and of silence in telephony.
  const isPossible = layer === 2 || layer === 3;
  return hasSync && isPossible && third >> 4 !== 15 && ((third >> 2) & 3) !== 3 ? "mp3" : null;
}

const magics: readonly (readonly [offset: number, magic: string, name: SoundName])[] = [
  [8, "WAVE", "wav"],
  [0, "OggS", "ogg"],
  [0, "fLaC", "flac"],
  [0, "ID3", "mp3"],
  [4, "ftyp", "mp4"],
  [0, "\x1a\x45\xdf\xa3", "webm"],
];

const markup = /^(?:\xef\xbb\xbf)?\s*(?:<(?:!doctype|!--|\?xml|html|head|body|svg|script)\b|<!--|\{\s*"|\[\s*[{"])/i;
/** Of UTF-8, each byte a character. The last character may be cut off. */
const utf8 =
  /^(?:[\t\n\r\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})+(?:[\xc2-\xf4][\x80-\xbf]{0,2})?$/;
/** Of UTF-16 with its mark, as far as it has ASCII alone. */
const utf16 = /^(?:\xff\xfe(?:[\t\n\r\x20-\x7e]\0)+|\xfe\xff(?:\0[\t\n\r\x20-\x7e])+)/;
const shortestText = 2;
const shortestUtf16 = 18;

/** Raw samples are never all printable for so long, nor do they spell the beginning of a page. */
function isText(ascii: string): boolean {
  if (markup.test(ascii) || (ascii.length >= shortestText && utf8.test(ascii))) return true;
  return (utf16.exec(ascii)?.[0].length ?? 0) >= Math.min(shortestUtf16, ascii.length);
}
