import { expect, test } from "bun:test";
import { readFileSound } from "./file-sound.ts";
import { wavOf } from "./wav-file.ts";

const read = (bytes: Uint8Array, pieceBytes = 4_096) =>
  readFileSound({
    size: bytes.length,
    async *stream() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  });

const wav = (seconds: number, hertz = 24_000) =>
  Buffer.from(wavOf(Buffer.alloc(seconds * hertz * 2, 3), { hertz, channels: 1, bitsPerSample: 16 }));

test("of a WAV file only the beginning is read", async () => {
  let pieces = 0;
  const bytes = wav(2);
  const sound = await readFileSound({
    size: bytes.length,
    async *stream() {
      for (let at = 0; at < bytes.length; at += 1_000, pieces += 1) yield bytes.subarray(at, at + 1_000);
    },
  });
  expect([sound, pieces]).toEqual([{ name: "wav", seconds: 2 }, 0]);
});

test("a WAV file lasts as long as its samples do, whatever else its header says", async () => {
  const liar = wav(2);
  // Bytes a second, by which no decoder goes.
  liar.writeUInt32LE(480_000_000, 28);
  expect(await read(liar)).toEqual({ name: "wav", seconds: 2 });
  const streamed = wav(2);
  streamed.writeUInt32LE(0xffff_ffff, 40);
  expect(await read(streamed)).toEqual({ name: "wav", seconds: 2 });
  expect(await read(wav(2).subarray(0, 44 + 48_000))).toEqual({ name: "wav", seconds: 1 });
});

test.each<[string, Uint8Array]>([
  ["raw samples", Buffer.alloc(9_000, 7)],
  ["nothing", new Uint8Array(0)],
  ["a WAV file without samples", Buffer.from("RIFF\0\0\0\0WAVEfmt ", "latin1")],
  ["an MP4 file without a movie", Buffer.from("\0\0\0\x10ftypM4A \0\0\0\0\0\0\0\x08free", "latin1")],
  ["a WebM file without blocks", Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80])],
])("%s: nothing tells how long it lasts", async (_, bytes) => {
  expect((await read(bytes)).seconds).toBeNull();
});

test.each<[string, Uint8Array]>([
  ["MP3", Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1")],
  ["AAC", Buffer.from([0xff, 0xf1, 0x58])],
])("%s that is no more than its beginning is given up on, and others are served meanwhile", async (_, head) => {
  const bytes = Buffer.alloc(6 << 20, 0xff);
  bytes.set(head);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  expect((await read(bytes, 256 << 10)).seconds).toBeNull();
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
});
