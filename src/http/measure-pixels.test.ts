import { describe, expect, test } from "bun:test";
import { measurePixels } from "./measure-pixels.ts";

const segment = (kind: number, content: Uint8Array) =>
  Buffer.concat([Buffer.from([0xff, kind, (content.length + 2) >> 8, (content.length + 2) & 255]), content]);
const frame = segment(0xc2, Buffer.from([8, 0x01, 0x2c, 0x02, 0x58, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]));
const jfif = segment(0xe0, Buffer.from("JFIF\0\x01\x01\0\0\x01\0\x01\0\0", "latin1"));
const jpeg = (...segments: readonly Uint8Array[]) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments]);

describe("a JPEG", () => {
  const size = { width: 600, height: 300 };

  test.each<[string, Uint8Array]>([
    ["with metadata", jpeg(jfif, segment(0xe1, Buffer.alloc(60_000)), segment(0xfe, Buffer.from("Hello")), frame)],
    [
      "with tables before its frame",
      jpeg(jfif, segment(0xdb, Buffer.alloc(65)), segment(0xc4, Buffer.alloc(30)), frame),
    ],
  ])("%s is measured", (_name, bytes) => {
    expect(measurePixels(bytes)).toEqual(size);
  });

  test.each<[string, Uint8Array]>([
    ["zeros", Buffer.alloc(256 << 10)],
    ["ones", Buffer.alloc(256 << 10, 1)],
    ["segments of nothing", Buffer.alloc(256 << 10, "\xff\xe0\0\x02", "latin1")],
    ["tables without end", Buffer.alloc(256 << 10, "\xff\xc4\0\x02", "latin1")],
    ["markers", Buffer.alloc(256 << 10, 255)],
    ["nothing", Buffer.alloc(0)],
  ])("of %s is given up at once", (_name, rest) => {
    for (const bytes of [jpeg(rest), jpeg(jfif, rest)]) {
      const took: number[] = [];
      for (let round = 0; round < 5; round++) {
        const started = performance.now();
        expect(measurePixels(bytes)).toBeNull();
        took.push(performance.now() - started);
      }
      // Other work on the machine does not slow down all of them.
      expect(Math.min(...took)).toBeLessThan(5);
    }
  });
});
