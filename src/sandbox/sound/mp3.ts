import { pause, type Tone } from "./tones.ts";
import { writeMark } from "./word-mark.ts";

/**
 * MP3 without an encoder: frames (MPEG-2, layer III, 24 kHz, 32 kbit/s, one channel) in which a tone is a single line of
 * the spectrum, and silence is none. It is no faithful sine, but every player plays it. The word of a tone is behind the data
 * of its first frame, where MP3 has room for what is no sound.
 */

const hertz = 24_000;
export const samplesPerFrame = 576;
export const frameBytes = 96;
/** The header, the side information, and the longest data of a tone or of silence come before this. */
export const markOffset = 24;
/** Sync word, MPEG-2, layer III, no checksum; 32 kbit/s, 24 kHz; one channel. */
const header = [0xff, 0xf3, 0x44, 0xc0] as const;
/** A quarter of the greatest amplitude, which is at 210, four steps an octave. */
const loudness = 202;

/** The frames of each tone and of the pause after it. */
export function* mp3Of(tones: readonly Tone[]): Generator<Uint8Array> {
  for (const { word, pitch, length } of tones) {
    // Line 576 would be half of the rate.
    const line = Math.round((pitch * samplesPerFrame * 2) / hertz);
    const sounding = Math.max(1, Math.round((length * hertz) / samplesPerFrame));
    const silent = Math.max(1, Math.round((pause * hertz) / samplesPerFrame));
    const frames = Array.from({ length: sounding + silent }, (_, index) => frame(index < sounding ? line : null));
    frames[0]?.set(writeMark(word, frameBytes - markOffset, frames.length), markOffset);
    yield Buffer.concat(frames);
  }
}

/** @param line the line of the spectrum that sounds; null if none does */
function frame(line: number | null): Uint8Array {
  const pairs = line === null ? 0 : Math.floor(line / 2) + 1;
  // Huffman table 1: a pair of zeros is `1`; one that sounds is `01` or `001`, then its sign.
  const huffman = line === null ? "" : "1".repeat(pairs - 1) + (line % 2 === 0 ? "01" : "001") + "0";
  const sideInfo = [
    bits(0, 8), // the data begin in this frame
    bits(0, 1),
    bits(huffman.length, 12),
    bits(pairs, 9),
    bits(loudness, 8),
    bits(0, 9), // no scale factors
    bits(0, 1), // long blocks
    bits(1, 5) + bits(1, 5) + bits(1, 5), // table 1 in all regions
    bits(0, 4) + bits(0, 3),
    bits(0, 1),
    bits(0, 1),
  ].join("");
  const bytes = Buffer.alloc(frameBytes);
  bytes.set(header);
  writeBits(bytes, header.length, sideInfo + huffman);
  return bytes;
}

function bits(value: number, width: number): string {
  return value.toString(2).padStart(width, "0");
}

function writeBits(bytes: Buffer, from: number, text: string): void {
  for (let at = 0; at < text.length; at += 8) {
    bytes[from + at / 8] = Number.parseInt(text.slice(at, at + 8).padEnd(8, "0"), 2);
  }
}
