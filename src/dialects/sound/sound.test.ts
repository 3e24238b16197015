import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createSoundMeter } from "./create-meter.ts";
import { collectSound } from "./collected-sound.ts";
import { SoundStream } from "./sound-stream.ts";
import { type SoundName, sniffSound } from "./sound-type.ts";
import { asSpeechEvents } from "./speech-events.ts";
import { samplesOf, wavOf } from "./wav-file.ts";

const bytesOf = (text: string) => Buffer.from(text, "latin1");

/** Frames of MPEG-1, layer III, 128 kbit/s, 44.1 kHz: 417 bytes and 1,152 samples each. */
const mp3 = (frames: number) =>
  Buffer.concat(
    Array.from({ length: frames }, () => Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc0]), Buffer.alloc(413)])),
  );

/** Frames of 200 bytes at 24 kHz. */
const adts = (frames: number) =>
  Buffer.concat(
    Array.from({ length: frames }, () =>
      Buffer.concat([Buffer.from([0xff, 0xf1, 0x58, 0x40, 200 >> 3, (200 & 7) << 5, 0]), Buffer.alloc(193)]),
    ),
  );

function oggPage(position: bigint, payload: Uint8Array, flags = 0): Buffer {
  const header = Buffer.alloc(27 + Math.ceil((payload.length + 1) / 255));
  header.write("OggS");
  header[5] = flags;
  header.writeBigInt64LE(position, 6);
  header[26] = header.length - 27;
  let left = payload.length;
  for (let at = 27; at < header.length; at++) {
    header[at] = Math.min(255, left);
    left -= Math.min(255, left);
  }
  return Buffer.concat([header, payload]);
}

function opus(seconds: number): Buffer {
  const head = Buffer.alloc(19);
  head.write("OpusHead");
  head.writeUInt16LE(312, 10);
  const pages = [oggPage(0n, head, 2), oggPage(-1n, Buffer.alloc(700)), oggPage(24_312n, Buffer.alloc(1_000))];
  return Buffer.concat([...pages, oggPage(BigInt(seconds * 48_000 + 312), Buffer.alloc(300))]);
}

function flac(samples: number): Buffer {
  const head = Buffer.alloc(42);
  head.write("fLaC");
  head.writeUIntBE(24_000 << 4, 18, 3);
  head.writeUInt32BE(samples, 22);
  return Buffer.concat([head, Buffer.alloc(500, 7)]);
}

const form = { hertz: 24_000, channels: 1, bitsPerSample: 16 };
const wav = (seconds: number) => Buffer.from(wavOf(Buffer.alloc(seconds * 48_000, 3), form));

const sounds: readonly (readonly [SoundName, string, Buffer, number])[] = [
  ["mp3", "plain", mp3(100), (100 * 1_152) / 44_100],
  [
    "mp3",
    "with tags",
    Buffer.concat([bytesOf("ID3\u0004\0\0\0\0\u0001\u0048"), Buffer.alloc(200, 0xff), mp3(3)]),
    (3 * 1_152) / 44_100,
  ],
  ["mp3", "with a tag behind", Buffer.concat([mp3(3), bytesOf("TAG"), Buffer.alloc(125)]), (3 * 1_152) / 44_100],
  ["mp3", "with facts in its first frame", Buffer.concat([mp3(1).fill("Info", 36, 40), mp3(3)]), (3 * 1_152) / 44_100],
  ["aac", "plain", adts(50), (50 * 1_024) / 24_000],
  ["ogg", "Opus", opus(3), 3],
  ["ogg", "two streams in a row", Buffer.concat([opus(3), opus(2)]), 5],
  ["flac", "plain", flac(48_000), 2],
  ["wav", "plain", wav(1.5), 1.5],
  ["wav", "with a placeholder for its size", Buffer.from(wav(1.5)).fill(0xff, 40, 44), 1.5],
  ["pcm", "raw", Buffer.alloc(48_000, 1), 1],
];

describe.each(sounds)("%s, %s", (name, _, bytes, seconds) => {
  test("is told by its first bytes", () => {
    expect(sniffSound(bytes.subarray(0, 64))).toBe(name === "pcm" ? null : name);
  });

  test("lasts as long however it is cut into pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 50 }), (sizes) => {
        const meter = createSoundMeter(name);
        let at = 0;
        for (let index = 0; at < bytes.length; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          meter.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(meter.seconds()).toBeCloseTo(seconds, 6);
      }),
      { numRuns: 20 },
    );
  });
});

test("half a WAV file lasts half as long", () => {
  const meter = createSoundMeter("wav");
  meter.push(wav(2).subarray(0, 44 + 48_000));
  expect(meter.seconds()).toBe(1);
});

test("no bytes at all throw, whatever they are", () => {
  const names: SoundName[] = ["mp3", "aac", "ogg", "flac", "wav", "pcm", "mp4", "webm", "unknown"];
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.array(fc.uint8Array({ maxLength: 400 })), (name, pieces) => {
      const meter = createSoundMeter(name);
      const stream = new SoundStream(name);
      for (const piece of pieces) {
        meter.push(piece);
        stream.push(piece);
      }
      stream.end();
      expect(meter.seconds() ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});

test.each([
  ["mp3", "ID3\u0004\0\0\0\0\0\0", 0x20],
  ["mp3", "ID3\u0004\0\0\0\0\0\0", 0xff],
  ["aac", "", 0xff],
  ["ogg", "OggS", 0x20],
  ["ogg", "OggS", 0x4f],
] as const)("what is no %s takes no longer than what is: %j", (name, beginning, fill) => {
  const meter = createSoundMeter(name);
  const piece = Buffer.alloc(1 << 20, fill);
  meter.push(bytesOf(beginning));
  const before = performance.now();
  for (let count = 0; count < 8; count++) meter.push(piece);
  // 8 MB. An allocation for each byte took more than a second.
  expect(performance.now() - before).toBeLessThan(500);
});

describe("a stream of sound", () => {
  test("passes every byte on, in order, once it is known", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (sizes) => {
        const bytes = wav(0.1);
        const stream = new SoundStream("mp3");
        const passed: Uint8Array[] = [];
        let at = 0;
        for (let index = 0; at < bytes.length; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          const piece = stream.push(bytes.subarray(at, at + size));
          if (piece) passed.push(piece);
          at += size;
        }
        const rest = stream.end();
        if (rest) passed.push(rest);
        expect(Buffer.concat(passed).equals(bytes)).toBe(true);
        expect([stream.contentType, stream.started, stream.fault]).toEqual(["audio/wav", true, null]);
      }),
      { numRuns: 30 },
    );
  });

  test("a short answer is known at its end", () => {
    const stream = new SoundStream("pcm");
    expect(stream.push(Buffer.from([1, 2, 3, 4]))).toBeNull();
    expect(stream.end()).toEqual(Buffer.from([1, 2, 3, 4]));
    expect([stream.started, stream.contentType]).toEqual([true, "audio/pcm"]);
  });

  test.each([
    ["pcm", "that begin with -1", [0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0]],
    ["pcm", "that begin like a frame of MP3", [0xff, 0xfb, 0x90, 0xc0, 0, 0, 1, 0]],
    ["pcm", "that begin like a frame of AAC", [0xff, 0xf1, 0x58, 0x40, 0, 0, 1, 0]],
    ["unknown", "of a format whose silence is 0xff", [0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xfe]],
  ] as const)("of raw samples (%s) %s is what was asked for", (assumed, _, beginning) => {
    for (const size of [1, 3, 200]) {
      const bytes = Buffer.concat([Buffer.from(beginning), Buffer.alloc(92, 0x80)]);
      const stream = new SoundStream(assumed);
      for (let at = 0; at < bytes.length; at += size) stream.push(bytes.subarray(at, at + size));
      stream.end();
      expect([stream.fault, stream.contentType]).toEqual([null, new SoundStream(assumed).contentType]);
      if (assumed === "pcm") expect(stream.soundSeconds).toBe(100 / 48_000);
    }
  });

  test.each(["<html>", "{}x", "oops", '  {"error": {}}', "\u00ef\u00bb\u00bf<svg/>"])("%j is a fault", (text) => {
    const stream = new SoundStream("mp3");
    stream.push(bytesOf(text));
    stream.end();
    expect([stream.started, stream.fault?.message]).toEqual([
      false,
      "The provider answered with text in place of sound.",
    ]);
  });

  test("an empty answer has not begun", () => {
    const stream = new SoundStream("mp3");
    stream.push(Buffer.alloc(0));
    expect([stream.end(), stream.started]).toEqual([null, false]);
  });
});

describe("events", () => {
  test("hold all of the sound, in events of a bounded size", () => {
    const bytes = wav(2);
    const events = asSpeechEvents(new SoundStream("wav"));
    const text = Buffer.from(events.push(bytes) ?? []).toString();
    const written = text.split("\n\n").filter((event) => event !== "");
    expect(written.length).toBe(2);
    const sound = written.map((event) => (JSON.parse(event.slice(6)) as { audio: string }).audio);
    expect(Buffer.from(sound.join(""), "base64").equals(bytes)).toBe(true);
    expect(Buffer.from(events.terminator() ?? []).toString()).toBe(
      'data: {"type":"speech.audio.done","usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0}}\n\n',
    );
  });
});

test("an answer that is collected has a bound", () => {
  const stream = collectSound(new SoundStream("wav"), 10, () => Promise.resolve({ sound: wav(1), usage: null }));
  expect(stream.push(Buffer.alloc(11))).toBeNull();
  expect(stream.fault?.message).toContain("larger than 10 bytes");
});

test("the samples of a WAV file are what it was made from", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (samples) => {
      expect(Buffer.from(samplesOf(wavOf(samples, form))).equals(Buffer.from(samples))).toBe(true);
    }),
  );
});
