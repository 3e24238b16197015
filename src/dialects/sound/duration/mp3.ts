import { HeaderWalker } from "./header-walker.ts";
import type { SoundMeter } from "./sound-meter.ts";

/** Kilobits a second by the index of a frame's header, for MPEG-1 (layers I to III) and MPEG-2 (layer I, II and III). */
const bitrates = {
  v1l1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  v1l2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  v1l3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  v2l1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  v2l23: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;

/** Hertz of MPEG-1; halved for MPEG-2, and once more for MPEG-2.5. */
const sampleRates = [44_100, 48_000, 32_000] as const;

/** The header of a frame, with what an encoder may write of itself into the first one, or that of a tag. */
const headerBytes = 48;

interface Frame {
  readonly bytes: number;
  readonly seconds: number;
}

/** The duration of MP3 by its frames, each of which says its bitrate and rate. */
export function createMp3Meter(): SoundMeter {
  let seconds: number | null = null;
  let isFirst = true;
  const walker = new HeaderWalker(headerBytes, (bytes, at) => {
    if (bytes.length - at < 10) return 0;
    const first = bytes[at] ?? 0;
    const tag = first === letterI || first === letterT ? tagBytes(bytes, at) : 0;
    if (tag > 0) return tag;
    const frame = first === syncByte ? readFrame(bytes, at) : null;
    if (frame === null) return stepToCandidate(bytes, at);
    if (isFirst && bytes.length - at < headerBytes) return 0;
    const isSound = !isFirst || !isInfo(bytes.subarray(at, at + headerBytes));
    isFirst = false;
    seconds = (seconds ?? 0) + (isSound ? frame.seconds : 0);
    return frame.bytes;
  });
  return { push: (piece) => walker.push(piece), seconds: () => (walker.hasGivenUp ? null : seconds) };
}

const syncByte = 0xff;
const letterI = 0x49;
const letterT = 0x54;

/** Bytes from where no frame begins to where one, or a tag, may begin. What is no sound must not take longer than what is. */
function stepToCandidate(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  for (; next < bytes.length; next++) {
    const byte = bytes[next];
    if (byte === syncByte || byte === letterI || byte === letterT) break;
  }
  return next - at;
}

/** Bytes of an ID3 tag, before the sound or after it; 0 if there is none here. */
function tagBytes(bytes: Uint8Array, at: number): number {
  const byte = (offset: number) => bytes[at + offset] ?? 0;
  if (byte(0) === 0x49 && byte(1) === 0x44 && byte(2) === 0x33) {
    return 10 + ((byte(6) << 21) | (byte(7) << 14) | (byte(8) << 7) | byte(9));
  }
  return byte(0) === 0x54 && byte(1) === 0x41 && byte(2) === 0x47 ? 128 : 0;
}

function readFrame(bytes: Uint8Array, at: number): Frame | null {
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  if ((second & 0xe0) !== 0xe0) return null;
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const rate = sampleRates[(third >> 2) & 3];
  if (version === 1 || layer === 4 || rate === undefined) return null;
  const isFirstVersion = version === 3;
  const kilobits = ratesOf(isFirstVersion, layer)[third >> 4];
  if (!kilobits) return null;
  const hertz = isFirstVersion ? rate : version === 2 ? rate / 2 : rate / 4;
  const padding = (third >> 1) & 1;
  if (layer === 1) return { bytes: (Math.floor((12_000 * kilobits) / hertz) + padding) * 4, seconds: 384 / hertz };
  const samples = layer === 3 && !isFirstVersion ? 576 : 1_152;
  return { bytes: Math.floor((samples * 125 * kilobits) / hertz) + padding, seconds: samples / hertz };
}

function ratesOf(isFirstVersion: boolean, layer: number): readonly number[] {
  if (!isFirstVersion) return layer === 1 ? bitrates.v2l1 : bitrates.v2l23;
  return layer === 1 ? bitrates.v1l1 : layer === 2 ? bitrates.v1l2 : bitrates.v1l3;
}

/** Whether a first frame holds facts about the file in place of sound. */
function isInfo(frame: Uint8Array): boolean {
  const text = Buffer.from(frame).toString("latin1");
  return text.includes("Xing") || text.includes("Info") || text.includes("VBRI");
}
