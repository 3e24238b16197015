import { readWavLayout, type WavLayout } from "../wav-file.ts";
import type { SoundMeter } from "./sound-meter.ts";

/** The sound must begin within so many bytes. */
const maxHeadBytes = 64 << 10;

/** The duration of WAV by the bytes of its samples that have passed: the size in its header may be a placeholder. */
export function createWavMeter(): SoundMeter {
  let head: Uint8Array | null = new Uint8Array(0);
  let layout: WavLayout | null = null;
  let passed = 0;
  return {
    push(piece) {
      passed += piece.length;
      if (head === null) return;
      head = Buffer.concat([head, piece.subarray(0, maxHeadBytes)]);
      layout = readWavLayout(head);
      if (layout !== null || head.length >= maxHeadBytes) head = null;
    },
    seconds() {
      if (layout === null) return null;
      return Math.min(passed - layout.dataAt, layout.dataBytes) / layout.bytesPerSecond;
    },
  };
}
