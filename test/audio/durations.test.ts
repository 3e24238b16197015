import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPrograms } from "../../scripts/debian-packages.ts";
import { createSoundMeter } from "../../src/dialects/sound/create-meter.ts";
import { readFileSound } from "../../src/dialects/sound/file-sound.ts";

/** `ffprobe` agrees with how long the gateway takes sound for. */

const missing = await findPrograms(["ffmpeg", "ffprobe"], ["ffmpeg"]);
const folder = mkdtempSync(join(tmpdir(), "tollgate-durations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A name, the seconds of sound, and what makes it of ffmpeg's sine. */
const sounds: readonly (readonly [name: string, seconds: number, options: string])[] = [
  ["wav", 1.5, "-c:a pcm_s16le"],
  ["wav", 3.25, "-c:a pcm_s16le -ac 2 -ar 44100"],
  ["wav", 2, "-c:a pcm_u8 -ar 8000"],
  ["wav", 2, "-c:a pcm_s24le -ar 48000"],
  ["wav", 2, "-c:a pcm_f32le"],
  ["wav", 2, "-c:a pcm_mulaw -ar 8000"],
  ["wav", 5, "-c:a adpcm_ima_wav -ar 22050"],
  ["mp3", 2.5, "-c:a libmp3lame -b:a 128k -ar 44100"],
  ["mp3", 12, "-c:a libmp3lame -b:a 32k -ar 22050 -ac 1"],
  ["mp3", 7, "-c:a libmp3lame -q:a 4 -ac 2"],
  ["mp3", 3, "-c:a libmp3lame -b:a 64k -write_xing 0"],
  ["mp3", 3, "-c:a libmp3lame -b:a 16k -ar 12000"],
  ["mp3", 3, "-c:a libmp3lame -metadata title=A -id3v2_version 3 -write_id3v1 1"],
  ["mp2", 3, "-c:a mp2 -b:a 192k -ar 48000"],
  ["ogg", 2, "-c:a libopus -b:a 16k -ac 1"],
  ["ogg", 11, "-c:a libopus -b:a 96k -ac 2"],
  ["ogg", 2.5, "-c:a libvorbis -ar 44100"],
  ["ogg", 30, "-c:a libvorbis -ar 16000"],
  ["flac", 2, "-c:a flac"],
  ["flac", 4, "-c:a flac -sample_fmt s32 -ar 96000"],
  ["aac", 2, "-c:a aac -ar 44100"],
  ["aac", 9, "-c:a aac -ar 24000 -ac 1 -b:a 32k"],
  ["m4a", 2, "-c:a aac"],
  ["m4a", 6, "-c:a aac -movflags +faststart"],
  ["m4a", 4, "-c:a alac"],
  ["mp4", 5, "-c:a aac -ar 48000"],
  ["mov", 5, "-c:a aac"],
  ["webm", 2, "-c:a libopus"],
  ["webm", 6, "-c:a libvorbis -ar 44100"],
  ["webm", 5, "-c:a libopus -live 1"],
];

describe.skipIf(missing !== null)(missing === null ? "durations" : `durations (skipped: ${missing})`, () => {
  test.each(sounds.map((sound, index) => [...sound, index] as const))(
    "%s, %p s: %s",
    async (name, seconds, options, index) => {
      const path = join(folder, `${index}.${name}`);
      const source = `sine=frequency=440:duration=${seconds}`;
      await run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, ...options.split(" "), path]);
      const told = await run([
        "ffprobe",
        "-v",
        "error",
        "-show_entries",
        "packet=duration_time",
        "-of",
        "csv=p=0",
        path,
      ]);
      const packets = told.split("\n").reduce((sum, line) => sum + (Number.parseFloat(line) || 0), 0);
      const bytes = await Bun.file(path).bytes();
      async function* stream(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < bytes.length; at += 5_000) yield bytes.subarray(at, at + 5_000);
      }
      const sound = await readFileSound({ size: bytes.length, stream });
      // An encoder adds up to two of its frames of silence, which some formats tell to leave out again.
      expect(Math.abs((sound.seconds ?? 0) - seconds)).toBeLessThan(0.15);
      expect(Math.abs((sound.seconds ?? 0) - packets)).toBeLessThan(0.15);
      // However it is cut into pieces.
      const meter = createSoundMeter(sound.name);
      for (let at = 0; at < bytes.length; at += 777) meter.push(bytes.subarray(at, at + 777));
      expect(meter.seconds()).toBeCloseTo(sound.seconds ?? 0, 6);
    },
  );
});

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command[0]} exited with ${code}: ${errors.slice(-500)}`);
  return output;
}
