import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestGateway } from "../gateway.testkit.ts";

/** The disk on which storage and journal lie together fills, is freed and fills again, while requests go on. */

const cleanUps: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A file system of so many bytes in memory. Null if this process may not mount one. */
function mountDisk(bytes: number): { readonly folder: string; fill(leave: number): void; free(): void } | null {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-full-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  cleanUps.push(() => {
    spawnSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const filler = join(folder, "filler");
  const free = () => rmSync(filler, { force: true });
  return {
    folder,
    /** Writes until the disk is full, then gives back so many bytes. */
    fill(leave) {
      free();
      const pieces: string[] = [];
      for (const size of [65_536, 4_096]) {
        for (;;) {
          const path = `${filler}-${pieces.length}`;
          const descriptor = openSync(path, "w");
          try {
            const written = writeSync(descriptor, Buffer.alloc(size, 1));
            pieces.push(path);
            if (written < size) break;
          } catch {
            rmSync(path);
            break;
          } finally {
            closeSync(descriptor);
          }
        }
      }
      for (let freed = 0; freed < leave; freed += 4_096) rmSync(pieces.pop() ?? filler, { force: true });
    },
    free() {
      spawnSync("sh", ["-c", `rm -f '${filler}'*`]);
    },
  };
}

const canMount = (() => {
  const disk = mountDisk(64 * 1024);
  for (const cleanUp of cleanUps.splice(0)) void cleanUp();
  return disk !== null;
})();

describe("a full disk", () => {
  test.skipIf(!canMount)(
    "no request reaches a provider without leaving its record (skipped if tmpfs cannot be mounted)",
    async () => {
      const disk = mountDisk(16 * 1024 * 1024);
      if (disk === null) throw new Error("A moment ago it could be mounted.");
      const gateway = await startTestGateway({
        folder: disk.folder,
        sandbox: { log: { requests: 100_000, bytes: 64 * 1024 * 1024 } },
      });
      cleanUps.push(() => gateway.stop());
      const called = new Set<string>();
      const refused = new Set<string>();
      const ask = async (index: number): Promise<void> => {
        const response = await gateway.chat({ stream: index % 2 === 0 });
        const text = await response.text();
        const id = response.headers.get("x-service-request-id") ?? "";
        if (response.status === 503) refused.add(id);
        else {
          expect(response.status).toBe(200);
          if (index % 2 === 0) expect(text).toEndWith("data: [DONE]\n\n");
          called.add(id);
          expect(await gateway.record(id)).toMatchObject({ id, status: "succeeded" });
        }
      };
      const askMany = async (times: number) => Promise.all(Array.from({ length: times }, (_, index) => ask(index)));

      await askMany(40);
      for (const leave of [0, 40_000, 0, 200_000, 0]) {
        disk.fill(leave);
        for (let round = 0; round < 8; round += 1) await askMany(24);
        disk.free();
        await askMany(24);
      }
      // Full for so long that the room runs out.
      disk.fill(0);
      refused.clear();
      for (let round = 0; round < 200 && refused.size === 0; round += 1) await askMany(48);
      expect(refused.size).toBeGreaterThan(0);
      // Many at once are refused before the last room is taken by one after the other.
      refused.clear();
      for (let call = 0; call < 2_000 && refused.size === 0; call += 1) await ask(call);
      const calledSoFar = gateway.sandbox.requests.length;
      for (let index = 0; index < 10; index += 1) expect((await gateway.chat()).status).toBe(503);
      expect(gateway.sandbox.requests.length).toBe(calledSoFar);

      disk.free();
      const deadline = performance.now() + 20_000;
      const rows = () => {
        const database = new Database(join(disk.folder, "tollgate.db"), { readonly: true });
        const ids = database.query<{ id: string }, []>("select id from requests where status <> 'refused'").all();
        database.close();
        return ids.map(({ id }) => id).sort();
      };
      while (rows().length < called.size && performance.now() < deadline) await Bun.sleep(20);
      expect(rows()).toEqual([...called].sort());
      expect(gateway.sandbox.requests.length).toBe(called.size);
      expect((await gateway.chat()).status).toBe(200);
    },
    120_000,
  );
});
