/**
 * A film as far as readers of its length and size go: MP4 with a header of its duration and its one track, and noise in place of
 * pictures.
 */
export function writeFilm(seconds: number, { width, height }: { readonly width: number; readonly height: number }) {
  const timescale = 1_000;
  const duration = Math.round(seconds * timescale);
  const matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
  const movieHeader = words(0, 0, 0, timescale, duration, 0x10000, 0x01000000, 0, 0, ...matrix, 0, 0, 0, 0, 0, 0, 2);
  const trackHeader = words(7, 0, 0, 1, 0, duration, 0, 0, 0, 0, ...matrix, width << 16, height << 16);
  return Buffer.concat([
    box("ftyp", Buffer.from("isom\0\0\0\0isommp42", "latin1")),
    box("moov", box("mvhd", movieHeader), box("trak", box("tkhd", trackHeader))),
    box("mdat", Buffer.alloc(2_048, 0x5a)),
  ]);
}

function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([words(8 + body.length), Buffer.from(type, "latin1"), body]);
}

/** Whole numbers of 32 bits, the most significant byte first. */
function words(...values: readonly number[]): Buffer {
  const written = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => written.writeUInt32BE(value >>> 0, index * 4));
  return written;
}
