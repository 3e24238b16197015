import { HeaderWalker } from "./header-walker.ts";
import type { SoundMeter } from "./sound-meter.ts";

/** Boxes whose contents are boxes, of which some are of interest. */
const containers: ReadonlySet<string> = new Set(["moov", "trak", "mdia"]);

/** A box with a 64-bit size, and all of the header of a movie or of a track up to its duration. */
const maxHeaderBytes = 48;
const unknownDuration = 0xffff_ffff;

/** The duration of MP4 (M4A, QuickTime) as the header of the movie has it, or that of its longest track. */
export function createMp4Meter(): SoundMeter {
  let movie: number | null = null;
  let track: number | null = null;
  const walker = new HeaderWalker(maxHeaderBytes, (bytes, at) => {
    const box = Buffer.from(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
    if (box.length < 16) return 0;
    const type = box.toString("latin1", 4, 8);
    const size = sizeOf(box);
    const headBytes = box.readUInt32BE(0) === 1 ? 16 : 8;
    if (containers.has(type)) return headBytes;
    if (type === "mvhd" || type === "mdhd") {
      if (box.length < headBytes + 32 && box.length < size) return 0;
      const seconds = readDuration(box.subarray(headBytes));
      if (type === "mvhd") movie = seconds;
      else if (seconds !== null) track = Math.max(track ?? 0, seconds);
    }
    return size;
  });
  return { push: (piece) => walker.push(piece), seconds: () => (walker.hasGivenUp ? null : (movie ?? track)) };
}

/** Bytes of a box; one that goes to the end of the file, or is none, has no end. */
function sizeOf(box: Buffer): number {
  const size = box.readUInt32BE(0);
  if (size === 1) return Math.max(16, Number(box.readBigUInt64BE(8)));
  return size < 8 ? Infinity : size;
}

/** Seconds by the header of a movie or a track; null if it does not know them, as of a recording that is under way. */
function readDuration(header: Buffer): number | null {
  const isLong = header.length > 0 && header[0] === 1;
  if (header.length < (isLong ? 32 : 20)) return null;
  const scale = header.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  const isKnown = scale > 0 && duration > 0 && duration !== unknownDuration && duration < Number.MAX_SAFE_INTEGER;
  return isKnown ? duration / scale : null;
}
