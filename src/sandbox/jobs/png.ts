import { crc32, deflateSync } from "node:zlib";

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Width and height in pixels. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** A PNG of stripes, whose colours and number depend on the text. */
export function writePng(text: string, { width, height }: Pixels): Uint8Array {
  const hash = Bun.hash.crc32(text);
  const light = [hash & 0xff, (hash >> 8) & 0xff, (hash >> 16) & 0xff];
  const dark = light.map((value) => value >> 1);
  const stripe = Math.max(1, Math.floor(width / (2 + (hash % 7))));
  // Each line begins with its filter: none.
  const line = new Uint8Array(1 + width * 3);
  for (let x = 0; x < width; x++) line.set(Math.floor(x / stripe) % 2 === 0 ? light : dark, 1 + x * 3);
  const lines = new Uint8Array(line.length * height);
  for (let y = 0; y < height; y++) lines.set(line, y * line.length);
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  // Eight bits of red, green and blue.
  header.setUint8(8, 8);
  header.setUint8(9, 2);
  return Buffer.concat([
    signature,
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const written = Buffer.alloc(4 + named.length + 4);
  written.writeUInt32BE(data.length, 0);
  named.copy(written, 4);
  written.writeUInt32BE(crc32(named), 4 + named.length);
  return written;
}
