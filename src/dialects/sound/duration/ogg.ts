import { HeaderWalker } from "./header-walker.ts";
import type { SoundMeter } from "./sound-meter.ts";

/** A page's header without its table of segments, and the largest one with its table and the first packet's beginning. */
const fixedBytes = 27;
const maxHeaderBytes = fixedBytes + 255 + 20;

/** Opus counts its samples at this rate, whatever it was encoded at. */
const opusHertz = 48_000;

/** The duration of Opus or Vorbis in Ogg: each page says how many samples have been decoded at its end. */
export function createOggMeter(): SoundMeter {
  let hertz: number | null = null;
  let skipped = 0;
  let samples = 0;
  /** Seconds of the streams before, of several in a row. */
  let before = 0;
  const present = () => (hertz === null || hertz === 0 ? 0 : Math.max(0, samples - skipped) / hertz);
  const walker = new HeaderWalker(maxHeaderBytes, (bytes, at) => {
    if (bytes.length - at < fixedBytes) return 0;
    if (!isPage(bytes, at)) return nextLetter(bytes, at);
    const page = Buffer.from(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
    const table = fixedBytes + page.readUInt8(26);
    const isBeginning = (page.readUInt8(5) & 2) !== 0;
    if (page.length < table + (isBeginning ? 19 : 0)) return 0;
    if (isBeginning) {
      before += present();
      samples = 0;
      const packet = page.subarray(table, table + 19);
      if (packet.toString("latin1", 0, 8) === "OpusHead") [hertz, skipped] = [opusHertz, packet.readUInt16LE(10)];
      else if (packet.toString("latin1", 1, 7) === "vorbis") hertz = packet.readUInt32LE(12);
    }
    const position = Number(page.readBigInt64LE(6));
    // -1: no packet ends on this page.
    if (position > samples) samples = position;
    let bytesOfPage = table;
    for (const segment of page.subarray(fixedBytes, table)) bytesOfPage += segment;
    return bytesOfPage;
  });
  return {
    push: (piece) => walker.push(piece),
    seconds: () => (walker.hasGivenUp || hertz === null || hertz === 0 ? null : before + present()),
  };
}

const letterO = 0x4f;

/** Whether a page begins with `OggS` here. */
function isPage(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === letterO && bytes[at + 1] === 0x67 && bytes[at + 2] === 0x67 && bytes[at + 3] === 0x53;
}

/** Bytes from where no page begins to where one may begin. */
function nextLetter(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  while (next < bytes.length && bytes[next] !== letterO) next++;
  return next - at;
}
