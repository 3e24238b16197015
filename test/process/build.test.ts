import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "tollgate-build-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every file that the build names beside its own is there", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../scripts/build.ts"), folder], {
    stdout: "inherit",
    stderr: "inherit",
  });
  expect(await child.exited).toBe(0);
  const named = new Set<string>();
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".js")) continue;
    const text = await Bun.file(join(folder, name)).text();
    for (const [, file] of text.matchAll(/new URL\("\.\/([\w.-]+)",\s*import\.meta\.url\)/g)) named.add(file ?? "");
  }
  expect([...named].toSorted()).toEqual([
    "audit-process.js",
    "audit-thread.js",
    "body-thread.js",
    "checkpoint-worker.js",
    "document-thread.js",
    "genai-prices.json",
    "read-prices-thread.js",
    "token-counter-thread.js",
    "transcript-thread.js",
  ]);
  for (const file of named) expect(existsSync(join(folder, file))).toBe(true);
});
