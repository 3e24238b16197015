import { crc32, deflateSync } from "node:zlib";

/** A colour: red, green and blue from 0 to 255. */
export type Colour = readonly [number, number, number];

/** A picture of at most 256 colours. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  /** The place of each pixel's colour in the palette, row by row. */
  readonly pixels: Uint8Array;
  readonly palette: readonly Colour[];
  /** The first colour is transparent. */
  readonly isTransparent: boolean;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Writes a PNG file. @param minBytes a smaller file is filled up with a chunk that readers pass over */
export function writePng({ width, height, pixels, palette, isTransparent }: Bitmap, minBytes = 0): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  // A filter byte, none, comes before each row.
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++) {
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const chunks = [
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flat())),
    ...(isTransparent ? [chunk("tRNS", Buffer.from([0]))] : []),
    chunk("IDAT", deflateSync(rows)),
  ];
  const end = chunk("IEND", Buffer.alloc(0));
  const missing = minBytes - [...chunks, end].reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([...chunks, ...(missing > 12 ? [chunk("fiLl", Buffer.alloc(missing - 12, 0xa5))] : []), end]);
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
