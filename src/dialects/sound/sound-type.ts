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
 */
export function sniffSound(head: Uint8Array): SoundName | "text" | null {
  const ascii = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  for (const [offset, magic, name] of magics) if (ascii.startsWith(magic, offset)) return name;
  const [first = 0, second = 0] = head;
  // Of both formats a frame begins with eleven or twelve set bits; the layer of AAC is 0.
  if (first === 0xff && (second & 0xf6) === 0xf0) return "aac";
  if (first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0) return "mp3";
  return isText(ascii) ? "text" : null;
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
const printable = /^[\t\n\r\x20-\x7e]+$/;
const shortestText = 2;

/** Raw samples are never all printable for so long, nor do they spell the beginning of a page. */
function isText(ascii: string): boolean {
  return markup.test(ascii) || (ascii.length >= shortestText && printable.test(ascii));
}
