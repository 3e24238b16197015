/** The form of raw samples. */
export interface PcmForm {
  readonly hertz: number;
  readonly channels: number;
  readonly bitsPerSample: number;
}

export const wavHeaderBytes = 44;

/** What stands before so many bytes of samples (little-endian) in a WAV file. */
export function wavHeader(bytes: number, { hertz, channels, bitsPerSample }: PcmForm): Uint8Array {
  const bytesPerFrame = (channels * bitsPerSample) / 8;
  const header = Buffer.alloc(wavHeaderBytes);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(wavHeaderBytes - 8 + bytes, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(hertz, 24);
  header.writeUInt32LE(hertz * bytesPerFrame, 28);
  header.writeUInt16LE(bytesPerFrame, 32);
  header.writeUInt16LE(bitsPerSample, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(bytes, 40);
  return header;
}

/** Samples (little-endian) as a WAV file. */
export function wavOf(samples: Uint8Array, form: PcmForm): Uint8Array {
  return Buffer.concat([wavHeader(samples.length, form), samples]);
}

/** The samples of a WAV file; none if it has none. */
export function samplesOf(file: Uint8Array): Uint8Array {
  const layout = readWavLayout(file);
  if (layout === null) return file.subarray(file.length);
  return file.subarray(layout.dataAt, Math.min(file.length, layout.dataAt + layout.dataBytes));
}

/** Where the samples of a WAV file are. */
export interface WavLayout {
  readonly bytesPerSecond: number;
  readonly dataAt: number;
  /** Infinity if the header does not say. */
  readonly dataBytes: number;
}

/** Reads the beginning of a WAV file; null if the samples do not begin within it. */
export function readWavLayout(bytes: Uint8Array): WavLayout | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let bytesPerSecond = 0;
  let form: Buffer | null = null;
  /** Seconds of compressed samples. */
  let told = 0;
  let at = 12;
  while (at + 8 <= view.length) {
    const name = view.toString("latin1", at, at + 4);
    const size = view.readUInt32LE(at + 4);
    if (name === "data") {
      if (bytesPerSecond === 0) return null;
      // Encoders that stream write 0 or a number near the largest one.
      const isKnown = size > 0 && size < 0x7fff_f000;
      if (isKnown && told > 0 && Number.isFinite(told)) bytesPerSecond = size / told;
      return { bytesPerSecond, dataAt: at + 8, dataBytes: isKnown ? size : Infinity };
    }
    if (name === "fmt " && at + 24 <= view.length) {
      form = view.subarray(at + 8, at + 24);
      bytesPerSecond = readByteRate(form);
    }
    // Compressed samples are counted apart.
    if (name === "fact" && at + 12 <= view.length && form !== null && !isPlain(form)) {
      told = view.readUInt32LE(at + 8) / form.readUInt32LE(4);
    }
    at += 8 + size + (size % 2);
  }
  return null;
}

/** Samples and floats that are not compressed, and an extension that mostly is one of them. */
const plainFormats: ReadonlySet<number> = new Set([1, 3, 0xfffe]);

function isPlain(form: Buffer): boolean {
  return plainFormats.has(form.readUInt16LE(0)) && frameBytesOf(form) > 0;
}

/** The rate as decoders go by it; that which is written is believed of compressed samples only. */
function readByteRate(form: Buffer): number {
  return isPlain(form) ? form.readUInt32LE(4) * frameBytesOf(form) : form.readUInt32LE(8);
}

function frameBytesOf(form: Buffer): number {
  return form.readUInt16LE(2) * Math.ceil(form.readUInt16LE(14) / 8);
}
