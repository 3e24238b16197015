import { HeaderWalker } from "./header-walker.ts";
import type { SoundMeter } from "./sound-meter.ts";

/** Elements of Matroska, by their ids. */
const ids = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const;

/** Elements whose contents are elements, of which some are of interest. */
const containers: ReadonlySet<number> = new Set([ids.segment, ids.info, ids.cluster, ids.blockGroup]);

/** An id, a size, and the value of a number or the beginning of a block. */
const maxHeaderBytes = 12 + 11;
const usualScale = 1_000_000;

/**
 * The duration of WebM as its header has it, or up to its last block if that is later: a recording that was streamed does not
 * know its duration beforehand.
 */
export function createWebmMeter(): SoundMeter {
  /** Nanoseconds of a unit of time. */
  let scale = usualScale;
  let duration = 0;
  let cluster = 0;
  let last = 0;
  const walker = new HeaderWalker(maxHeaderBytes, (bytes, at) => {
    const element = Buffer.from(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
    const idBytes = lengthOf(element[0] ?? 0);
    const sizeBytes = lengthOf(element[idBytes] ?? 0);
    const headBytes = idBytes + sizeBytes;
    if (element.length <= headBytes) return 0;
    if (idBytes > 4 || sizeBytes > 8) return Infinity;
    const id = element.readUIntBE(0, idBytes);
    if (containers.has(id)) return headBytes;
    const size = readSize(element, idBytes, sizeBytes);
    const value = element.subarray(headBytes, headBytes + Math.min(size, 11));
    const isShort = value.length < Math.min(size, 11);
    if (id === ids.timestampScale || id === ids.duration || id === ids.timestamp) {
      if (isShort) return 0;
      if (id === ids.duration) duration = readFloat(value);
      else if (id === ids.timestamp) cluster = readNumber(value);
      else scale = readNumber(value) || usualScale;
    } else if (id === ids.simpleBlock || id === ids.block) {
      if (isShort) return 0;
      const trackBytes = lengthOf(value[0] ?? 0);
      if (value.length >= trackBytes + 2) last = Math.max(last, cluster + value.readInt16BE(trackBytes));
    }
    return headBytes + size;
  });
  return {
    push: (piece) => walker.push(piece),
    seconds() {
      const seconds = (Math.max(duration, last) * scale) / 1e9;
      return !walker.hasGivenUp && seconds > 0 && Number.isFinite(seconds) ? seconds : null;
    },
  };
}

/** Bytes of a number whose first byte is this: as many as there are zeros before its first one. */
function lengthOf(first: number): number {
  return Math.clz32(first) - 23;
}

function readSize(element: Buffer, at: number, length: number): number {
  let size = (element[at] ?? 0) & (0xff >> length);
  for (let index = 1; index < length; index++) size = size * 256 + (element[at + index] ?? 0);
  return size;
}

function readNumber(value: Buffer): number {
  let number = 0;
  for (const byte of value) number = number * 256 + byte;
  return number;
}

function readFloat(value: Buffer): number {
  const read = value.length === 8 ? value.readDoubleBE() : value.length === 4 ? value.readFloatBE() : 0;
  return Number.isFinite(read) ? read : 0;
}
