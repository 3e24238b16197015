import { pause, type Tone } from "./tones.ts";
import { writeMark } from "./word-mark.ts";

/** Samples a second: 16 bits, little-endian, one channel. */
export const hertz = 24_000;

const volume = 8_000;
/** Samples over which a tone swells and fades, so that it does not click. */
const fade = 240;

/** Samples of a tone and of the pause after it. */
export function sampleCount({ length }: Tone): number {
  return Math.round(length * hertz) + Math.round(pause * hertz);
}

/** The samples of each tone. Its word is in their lowest bits, which is not to be heard. */
export function* samplesOf(tones: readonly Tone[]): Generator<Uint8Array> {
  for (const tone of tones) {
    const bytes = Buffer.alloc(sampleCount(tone) * 2);
    const count = Math.round(tone.length * hertz);
    for (let at = 0; at < count; at += 1) {
      const swell = Math.min(1, at / fade, (count - at) / fade);
      bytes.writeInt16LE(Math.round(Math.sin((2 * Math.PI * tone.pitch * at) / hertz) * volume * swell), at * 2);
    }
    const mark = writeMark(tone.word, Math.floor(count / 8), bytes.length / 2);
    for (let bit = 0; bit < mark.length * 8; bit += 1) {
      const low = ((mark[bit >> 3] ?? 0) >> (bit & 7)) & 1;
      bytes[bit * 2] = ((bytes[bit * 2] ?? 0) & 0xfe) | low;
    }
    yield bytes;
  }
}

/** A WAV file: its header, then the samples of each tone. */
export function* wavOf(tones: readonly Tone[]): Generator<Uint8Array> {
  const dataBytes = tones.reduce((sum, tone) => sum + sampleCount(tone) * 2, 0);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(hertz, 24);
  header.writeUInt32LE(hertz * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(dataBytes, 40);
  yield header;
  yield* samplesOf(tones);
}
