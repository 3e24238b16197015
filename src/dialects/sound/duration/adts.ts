import { HeaderWalker } from "./header-walker.ts";
import type { SoundMeter } from "./sound-meter.ts";

/** Hertz by the index of a frame's header. */
const sampleRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
] as const;

const headerBytes = 7;

/** The duration of AAC in ADTS frames, of 1,024 samples a block. */
export function createAdtsMeter(): SoundMeter {
  let seconds: number | null = null;
  const walker = new HeaderWalker(headerBytes, (bytes, at) => {
    if (bytes.length - at < headerBytes) return 0;
    if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return nextSync(bytes, at);
    const byte = (offset: number) => bytes[at + offset] ?? 0;
    const hertz = sampleRates[(byte(2) >> 2) & 15];
    const frameBytes = ((byte(3) & 3) << 11) | (byte(4) << 3) | (byte(5) >> 5);
    if (hertz === undefined || frameBytes < headerBytes) return nextSync(bytes, at);
    seconds = (seconds ?? 0) + (((byte(6) & 3) + 1) * 1_024) / hertz;
    return frameBytes;
  });
  return { push: (piece) => walker.push(piece), seconds: () => (walker.hasGivenUp ? null : seconds) };
}

/** Bytes from where no frame begins to where one may begin. */
function nextSync(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  while (next < bytes.length && bytes[next] !== 0xff) next++;
  return next - at;
}
