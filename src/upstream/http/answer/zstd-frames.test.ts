import { expect, test } from "bun:test";
import { constants, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { ZstdFrames } from "./zstd-frames.ts";

const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

test("a body is complete after a frame, and nowhere within one", () => {
  const part = fc.oneof(
    fc.constant({ bytes: skippable }),
    fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.nat(600), fc.boolean()).map(([noise, zeros, check]) => ({
      bytes: zstdCompressSync(Buffer.concat([noise, Buffer.alloc(zeros * 1000)]), check ? checked : {}),
    })),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
      const ends = new Set<number>([0]);
      let length = 0;
      for (const { bytes } of parts) ends.add((length += bytes.length));
      const body = Buffer.concat(parts.map(({ bytes }) => bytes));
      const frames = new ZstdFrames();
      for (let at = 0; at <= body.length; at++) {
        expect(frames.complete).toBe(ends.has(at));
        frames.give(body.subarray(at, at + 1));
      }
      const whole = new ZstdFrames();
      whole.give(body);
      expect(whole.complete).toBe(true);
    }),
  );
});
