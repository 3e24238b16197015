import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { writeFilm } from "../sandbox/film/write-film.ts";
import { readMp4 } from "./mp4.ts";

const read = (bytes: Uint8Array) => readMp4(async (start, end) => bytes.subarray(start, end), bytes.length);

function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
}

function numbers(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

const longHeader = (scale: number, duration: bigint) => {
  const last = Buffer.alloc(8);
  last.writeBigUInt64BE(duration);
  return box("mvhd", numbers(0x0100_0000, 0, 0, 0, 0, scale), last, numbers(0, 0));
};
/** The header of a track: its matrix, width and height. */
function track(width: number, height: number, { turned = false, long = false } = {}): Uint8Array {
  const matrix = turned ? [0, 0x1_0000, 0, -0x1_0000 >>> 0, 0, 0, 0, 0, 0] : [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0];
  const times = Array.from({ length: long ? 12 : 9 }, () => 0);
  return box(
    "trak",
    box("tkhd", numbers(long ? 0x0100_0000 : 0, ...times, ...matrix, width * 65_536, height * 65_536)),
  );
}
const shortHeader = (scale: number, duration: number) => box("mvhd", numbers(0, 0, 0, scale, duration, 0));

describe("how large a film is", () => {
  test.each([
    ["a track", [track(1280, 720)], "1280x720"],
    ["a track with long times", [track(1280, 720, { long: true })], "1280x720"],
    ["a track that is turned", [track(1280, 720, { turned: true })], "720x1280"],
    ["the largest of several", [track(0, 0), track(160, 90), track(640, 360)], "640x360"],
    ["sound alone", [track(0, 0)], null],
    ["an absurd track", [track(65_000, 1)], null],
    ["a short header", [box("trak", box("tkhd", numbers(0, 1)))], null],
    ["a track without a header", [box("trak")], null],
  ])("is read of %s", async (_, tracks, size) => {
    const film = Buffer.concat([box("moov", shortHeader(1, 4), ...tracks), box("mdat", numbers(1))]);
    expect(await read(film)).toEqual({ isWhole: true, seconds: 4, size });
  });
});

describe("how long a film is", () => {
  test.each([
    ["32 bits", box("moov", shortHeader(600, 4_500)), 7.5],
    ["64 bits", box("moov", longHeader(90_000, 720_000n)), 8],
    ["fragments", box("moov", shortHeader(1_000, 0), box("mvex", box("mehd", numbers(0, 2_500)))), 2.5],
    ["no duration", box("moov", shortHeader(1_000, 0)), null],
    ["an unknown duration", box("moov", shortHeader(1_000, 0xff_ff_ff_ff)), null],
    ["no scale", box("moov", shortHeader(0, 10)), null],
    ["the least and the greatest duration", box("moov", shortHeader(1, 0xff_ff_ff_fe)), null],
    ["a duration of nothing", box("moov", shortHeader(1_000_000, 1)), null],
    ["an endless duration", box("moov", longHeader(1, 2n ** 64n - 1n)), null],
    ["a short header", box("moov", box("mvhd", numbers(0))), null],
    ["an empty movie", box("moov"), null],
  ])("is read of %s", async (_, movie, seconds) => {
    expect(await read(Buffer.concat([box("ftyp"), movie, box("mdat", numbers(1))]))).toEqual({
      isWhole: true,
      seconds,
      size: null,
    });
  });

  test("the movie may come after the pictures, and a box may go to the end of the file", async () => {
    const open = Buffer.concat([numbers(0), Buffer.from("mdat"), numbers(1, 2, 3)]);
    expect(await read(Buffer.concat([box("moov", shortHeader(10, 20)), open]))).toMatchObject({
      isWhole: true,
      seconds: 2,
    });
    expect(await read(Buffer.concat([box("mdat", numbers(1)), box("moov", shortHeader(10, 20))]))).toEqual({
      isWhole: true,
      seconds: 2,
      size: null,
    });
  });

  test("a film that is cut anywhere is not whole", async () => {
    const film = writeFilm({ prompt: "cut", width: 64, height: 48, seconds: 2 });
    expect(await read(film)).toEqual({ isWhole: true, seconds: 2, size: "64x48" });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: film.length - 1 }), async (length) => {
        expect((await read(film.subarray(0, length))).isWhole).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test("no bytes make it fail, or read beyond the end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        const { seconds } = await read(Buffer.concat([box("moov", bytes), bytes]));
        expect(seconds === null || seconds >= 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("many tiny boxes are not all looked at", async () => {
    const many = Buffer.concat(Array.from({ length: 30_000 }, () => box("free")));
    let reads = 0;
    await readMp4(async (start, end) => {
      reads += 1;
      return many.subarray(start, end);
    }, many.length);
    expect(reads).toBeLessThan(21_000);
  });

  test("a film of many fragments is whole", async () => {
    const fragments = Array.from({ length: 3_000 }, () => [box("moof", numbers(1)), box("mdat", numbers(2))]);
    expect(await read(Buffer.concat([box("moov", shortHeader(10, 20)), ...fragments.flat()]))).toEqual({
      isWhole: true,
      seconds: 2,
      size: null,
    });
  });
});
