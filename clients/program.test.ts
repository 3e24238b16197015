import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../test/process.testkit.ts";
import { endProcessesOf } from "./left-processes.ts";
import { withServer } from "./program.ts";

describe("a server", () => {
  test("runs while it is used, and its children end with it", async () => {
    await inFolder(async (folder, surroundings) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const code = `Bun.serve({ port: ${port}, fetch: () => new Response("here") }); Bun.spawn(["sleep", "60"])`;
      const answer = await withServer([process.execPath, "-e", code], url, {}, surroundings, async () =>
        (await fetch(url)).text(),
      );
      expect(answer).toBe("here");
      expect(await endProcessesOf(folder)).toEqual([]);
    });
  });

  test("that ends before it answers is told with its output", async () => {
    await inFolder(async (_, surroundings) => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const failure = await withServer(["sh", "-c", "echo no room >&2; exit 3"], url, {}, surroundings, async () => {
        throw new Error("used");
      }).catch(String);
      expect(failure).toContain("the server ended before it answered; the server: no room");
    });
  });
});

async function inFolder(use: (folder: string, surroundings: Parameters<typeof withServer>[3]) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-program-"));
  try {
    await use(folder, { home: folder, proxyUrl: "http://127.0.0.1:9", signal: AbortSignal.timeout(30_000) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
