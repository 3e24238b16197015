import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newBlobKey } from "./blob-store.ts";
import type { Content } from "./content.ts";
import { folderOf, type OpenBlobs, openBlobs } from "./open-blobs.ts";

let folder: string;
let opened: OpenBlobs;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-blobs-"));
  opened = await openBlobs(`file:${folder}`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

function inMemory(bytes: Uint8Array): Content {
  const stream = async function* () {
    yield bytes;
  };
  return { size: bytes.length, sha256: sha256Of(bytes), scratchFile: null, stream };
}

async function onScratch(bytes: Uint8Array): Promise<Content> {
  const file = await opened.scratch.create();
  await file.append(bytes.subarray(0, 1_000));
  await file.append(bytes.subarray(1_000));
  return { ...inMemory(bytes), scratchFile: file, stream: () => file.read(0, bytes.length) };
}

const read = async (key: string, start: number, end: number) =>
  Buffer.concat(await Array.fromAsync(opened.blobs.read(key, start, end)));
/** All files below the folder, without those of scratch. */
const blobFiles = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes("scratch"),
  );
const scratchFiles = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes("scratch") && entry.name !== "lock",
  );

describe("a blob", () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));

  test.each(["memory", "a scratch file"])("from %s is stored, read in part and removed", async (place) => {
    const { blobs } = opened;
    const content = place === "memory" ? inMemory(bytes) : await onScratch(bytes);
    const key = newBlobKey(content.sha256);
    expect(await blobs.size(key)).toBeNull();
    await blobs.put(key, content);
    expect(await blobs.size(key)).toBe(bytes.length);
    expect((await read(key, 0, bytes.length)).equals(bytes)).toBe(true);
    expect((await read(key, 100, 105)).equals(bytes.subarray(100, 105))).toBe(true);
    // What moved can still be read, and be stored once more.
    const other = newBlobKey(content.sha256);
    await blobs.put(other, content);
    await blobs.put(other, content);
    expect((await read(other, 0, bytes.length)).equals(bytes)).toBe(true);
    await content.scratchFile?.dispose();
    expect(scratchFiles()).toEqual([]);
    expect(blobFiles()).toHaveLength(2);
    await blobs.remove(key);
    await blobs.remove(key);
    expect(await blobs.size(key)).toBeNull();
    expect(Array.fromAsync(blobs.read(key, 0, 1))).rejects.toThrow("ENOENT");
    expect(await blobs.size(other)).toBe(bytes.length);
  });

  test("is not there if its content breaks off", async () => {
    const key = newBlobKey(sha256Of(bytes));
    const stream = async function* () {
      yield bytes.subarray(0, 100);
      throw new Error("broke off");
    };
    expect(opened.blobs.put(key, { ...inMemory(bytes), stream })).rejects.toThrow("broke off");
    expect(await opened.blobs.size(key)).toBeNull();
    expect([...blobFiles(), ...scratchFiles()]).toEqual([]);
  });

  test("has no other key than such as are made here", () => {
    for (const key of ["../../etc/passwd", "", "a".repeat(64)]) {
      expect(() => opened.blobs.read(key, 0, 1)).toThrow("not the key");
    }
  });
});

describe("scratch files", () => {
  test("that many read at once leave the event loop its turns", async () => {
    const file = await opened.scratch.create();
    await file.append(new Uint8Array(4 << 20));
    let bytes = 0;
    let inTurn = 0;
    let mostInTurn = 0;
    let isOver = false;
    const turn = () => {
      inTurn = 0;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const readAll = async () => {
      for await (const { length } of file.read(0, 4 << 20)) {
        bytes += length;
        mostInTurn = Math.max(mostInTurn, ++inTurn);
      }
    };
    await Promise.all(Array.from({ length: 50 }, readAll));
    isOver = true;
    await file.dispose();
    expect(bytes).toBe(50 * (4 << 20));
    expect(mostInTurn).toBeLessThan(10);
  });

  const folders = () => readdirSync(join(folder, "scratch"));

  test("of a process are left while it lives, and removed at the next start after its death", async () => {
    const program = `
      const { openScratch } = await import(${JSON.stringify(join(import.meta.dir, "scratch.ts"))});
      const scratch = await openScratch(${JSON.stringify(join(folder, "scratch"))});
      const file = await scratch.create();
      await file.append(Buffer.from("x"));
      console.log("made");
      setInterval(() => [scratch, file], 1_000);
    `;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
    try {
      await child.stdout.getReader().read();
      expect(scratchFiles()).toHaveLength(1);
      await openBlobs(`file:${folder}`);
      expect(scratchFiles()).toHaveLength(1);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
    await openBlobs(`file:${folder}`);
    expect(folders()).toEqual([]);
  });

  test("of this process are left by another start, and removed at the end", async () => {
    const own = await opened.scratch.create();
    await openBlobs(`file:${folder}`);
    await own.append(Buffer.from("abc"));
    expect(Buffer.concat(await Array.fromAsync(own.read(1, 3))).toString()).toBe("bc");
    await own.dispose();
    await opened.scratch.close();
    expect(folders()).toEqual([]);
  });

  test("made at once share one folder", async () => {
    const files = await Promise.all([1, 2, 3].map(() => opened.scratch.create()));
    expect(folders()).toHaveLength(1);
    await Promise.all(files.map((file) => file.dispose()));
  });

  test("without a lock are removed once they are a day old", async () => {
    const place = (name: string) => join(folder, "scratch", name);
    for (const name of ["new", "old"]) {
      mkdirSync(place(name), { recursive: true });
      writeFileSync(join(place(name), "left"), "x");
    }
    const longAgo = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(place("old"), longAgo, longAgo);
    await openBlobs(`file:${folder}`);
    expect(folders()).toEqual(["new"]);
  });
});

test.each([
  ["file:./data/blobs", "./data/blobs"],
  ["file:/var/blobs", "/var/blobs"],
  ["file:///var/blobs", "/var/blobs"],
  ["s3://bucket", null],
])("the folder of %p", (url, expected) => {
  expect(folderOf(url)).toBe(expected);
});
