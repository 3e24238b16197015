import { frameBytes, markOffset, samplesPerFrame } from "./mp3.ts";
import { hertz } from "./samples.ts";
import { pause } from "./tones.ts";
import { readMark } from "./word-mark.ts";

/** A word, and when it sounds, in seconds. */
export interface HeardWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What the sandbox makes of sound. */
export interface Heard {
  readonly text: string;
  readonly words: readonly HeardWord[];
  readonly seconds: number;
}

const wavHeaderBytes = 44;
/** Sound of other making is taken for so much a second. */
const usualBytesPerSecond = 16_000;

/**
 * Transcribes sound: what the sandbox itself has said, word by word; of any other sound, that it was heard, in words that
 * depend on nothing but its size.
 */
export function hear(bytes: Uint8Array): Heard {
  const isWav = Buffer.from(bytes.subarray(8, 12)).toString("latin1") === "WAVE";
  const words = isMp3(bytes) ? hearMp3(bytes) : hearSamples(isWav ? bytes.subarray(wavHeaderBytes) : bytes);
  const said = words.length > 0 ? words : describe(bytes.length);
  const seconds = words.length > 0 ? (said.at(-1)?.end ?? 0) + pause : bytes.length / usualBytesPerSecond;
  return { text: said.map(({ text }) => text).join(" "), words: said, seconds: rounded(seconds) };
}

function isMp3([first, second]: Uint8Array): boolean {
  return first === 0xff && second === 0xf3;
}

function hearMp3(bytes: Uint8Array): HeardWord[] {
  const words: HeardWord[] = [];
  const seconds = samplesPerFrame / hertz;
  for (let frame = 0; (frame + 1) * frameBytes <= bytes.length;) {
    const at = frame * frameBytes + markOffset;
    const mark = readMark((index) => bytes[at + index] ?? 0);
    if (mark === null || mark.length === 0) break;
    words.push(wordAt(mark.word, frame * seconds, (frame + mark.length) * seconds));
    frame += mark.length;
  }
  return words;
}

function hearSamples(bytes: Uint8Array): HeardWord[] {
  const words: HeardWord[] = [];
  for (let sample = 0; sample * 2 < bytes.length;) {
    const mark = readMark((index) => lowBits(bytes, sample + index * 8));
    if (mark === null || mark.length === 0) break;
    words.push(wordAt(mark.word, sample / hertz, (sample + mark.length) / hertz));
    sample += mark.length;
  }
  return words;
}

/** The lowest bits of eight samples. */
function lowBits(bytes: Uint8Array, sample: number): number {
  let byte = 0;
  for (let bit = 0; bit < 8; bit += 1) byte |= ((bytes[(sample + bit) * 2] ?? 0) & 1) << bit;
  return byte;
}

/** Without the pause after it. */
function wordAt(text: string, start: number, end: number): HeardWord {
  return { text, start: rounded(start), end: rounded(Math.max(start, end - pause)) };
}

/** Every word takes as long as the others. */
function describe(size: number): HeardWord[] {
  const words = `I hear ${size} bytes of sound.`.split(" ");
  const length = size / usualBytesPerSecond / words.length;
  return words.map((text, index) => wordAt(text, index * length, (index + 1) * length));
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
