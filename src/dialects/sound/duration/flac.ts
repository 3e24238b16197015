import type { SoundMeter } from "./sound-meter.ts";

/** `fLaC`, the header of the first block, and as much of it as tells the rate and the number of samples. */
const headBytes = 4 + 4 + 18;

/** The duration of FLAC as its first block has it: of the whole, also if only a part has passed. */
export function createFlacMeter(): SoundMeter {
  let head: Uint8Array = new Uint8Array(0);
  return {
    push(piece) {
      if (head.length < headBytes) head = Buffer.concat([head, piece.subarray(0, headBytes - head.length)]);
    },
    seconds() {
      if (head.length < headBytes) return null;
      const view = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
      const hertz = view.readUIntBE(18, 3) >> 4;
      const samples = (view.readUInt8(21) & 15) * 2 ** 32 + view.readUInt32BE(22);
      // An encoder that streams does not know how much will come.
      return hertz === 0 || samples === 0 ? null : samples / hertz;
    },
  };
}
