import { afterEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packBytes } from "./waiting-bytes.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-waiting-"));
const usual = process.env["TMPDIR"];
afterEach(() => {
  if (usual === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usual;
});

const event = 'data: {"choices":[{"delta":{"content":"word"}}]}\n\n';
const events = (length: number) => Buffer.alloc(length, event);
const quarterNoise = (length: number) => Buffer.concat([events((length * 3) / 4), randomBytes(length / 4)]);

/** Files of the folder that are open, though they have no name there. */
function openFiles(): number {
  const isOpen = (file: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`).startsWith(folder);
    } catch {
      return false;
    }
  };
  return readdirSync("/proc/self/fd").filter(isOpen).length;
}

test.skipIf(process.platform !== "linux").each<[string, Buffer, boolean]>([
  ["events", events(300_000), false],
  ["many events", events(5_000_000), true],
  ["noise", randomBytes(100_000), true],
  ["much noise", randomBytes(3_000_000), true],
  ["events, then noise", quarterNoise(400_000), true],
])("%s come back as they were, in memory or from a file without a name", (_, bytes, isInFile) => {
  process.env["TMPDIR"] = folder;
  const packed = packBytes(Buffer.from(bytes));
  expect(openFiles()).toBe(isInFile ? 1 : 0);
  expect(readdirSync(folder)).toEqual([]);
  expect(packed?.take()?.equals(bytes)).toBe(true);
  packBytes(Buffer.from(bytes))?.drop();
  expect(openFiles()).toBe(0);
});

test("bytes stay in memory if they are few, or there is no place for a file", () => {
  process.env["TMPDIR"] = folder;
  expect(packBytes(randomBytes(20_000))).toBeNull();
  process.env["TMPDIR"] = join(folder, "absent");
  expect(packBytes(randomBytes(100_000))).toBeNull();
  // What can be compressed still is.
  const bytes = quarterNoise(400_000);
  expect(packBytes(bytes)?.take()?.equals(bytes)).toBe(true);
  rmSync(folder, { recursive: true });
});
