import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readMp4 } from "../../videos/mp4.ts";
import { writeFilm } from "./write-film.ts";

const ffprobe = Bun.which("ffprobe");
const sizes = [
  [1280, 720],
  [720, 1280],
  [1920, 1080],
  [64, 48],
  [1024, 1792],
] as const;
const lengths = [0.5, 1, 2.5, 4, 7.25, 8, 10, 12] as const;

test("a film is the same for the same prompt, and small", () => {
  const asked = { prompt: "A calm sea", width: 1280, height: 720, seconds: 8 };
  expect(writeFilm(asked)).toEqual(writeFilm(asked));
  expect(writeFilm(asked)).not.toEqual(writeFilm({ ...asked, prompt: "A rough sea" }));
  expect(writeFilm(asked).length).toBeLessThan(200_000);
});

// Of Debian's package `ffmpeg`.
test.skipIf(ffprobe === null)(
  "ffprobe agrees on the lengths and sizes of 40 films",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-film-"));
    try {
      for (const [width, height] of sizes) {
        for (const seconds of lengths) {
          const film = writeFilm({ prompt: `${width} ${seconds}`, width, height, seconds });
          const file = join(folder, "film.mp4");
          await Bun.write(file, film);
          const asked = [
            "-v",
            "error",
            "-show_entries",
            "stream=codec_name,width,height:format=duration",
            "-of",
            "json",
          ];
          const { stdout, stderr } = Bun.spawnSync([ffprobe ?? "ffprobe", ...asked, file]);
          expect(stderr.toString()).toBe("");
          const told = JSON.parse(stdout.toString()) as { streams: unknown[]; format: { duration: string } };
          expect(told.streams).toMatchObject([{ codec_name: "h264", width, height }]);
          const facts = await readMp4(async (start, end) => film.subarray(start, end), film.length);
          expect(facts).toEqual({ isWhole: true, seconds, size: `${width}x${height}` });
          expect(Number(told.format.duration)).toBeCloseTo(seconds, 3);
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
