import { afterEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestGateway } from "../gateway.testkit.ts";
import { until } from "../until.testkit.ts";

/** The disk of the blobs fills; the database has another one. */

const cleanUps: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Mounts a file system of so many bytes in memory. False if this process may not. */
function mountDisk(folder: string, bytes: number): boolean {
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
  if (mounted.status !== 0) return false;
  cleanUps.push(() => void spawnSync("umount", ["-l", folder]));
  return true;
}

const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-mount-"));
  const isMounted = mountDisk(folder, 64 * 1024);
  for (const cleanUp of cleanUps.splice(0)) void cleanUp();
  rmSync(folder, { recursive: true, force: true });
  return isMounted;
})();

test.skipIf(!canMount)(
  "a full disk is a 507, and nothing of the file is kept (skipped if tmpfs cannot be mounted)",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-files-full-"));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    const disk = join(folder, "blobs");
    mkdirSync(disk);
    expect(mountDisk(disk, 8 << 20)).toBe(true);
    const gateway = await startTestGateway({ folder });
    cleanUps.push(() => gateway.stop());
    const upload = async (index: number, bytes: number) => {
      const form = new FormData();
      form.set("purpose", "user_data");
      form.set("file", new Blob([`${index}`.padEnd(bytes, "x")]), String(index));
      return gateway.fetch("/v1/files", { method: "POST", body: form });
    };
    const filesOn = () =>
      readdirSync(disk, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() && entry.name !== "lock" ? [entry.name] : [],
      );
    const list = async () =>
      ((await (await gateway.fetch("/v1/files")).json()) as { data: { id: string; bytes: number }[] }).data;

    const ids: string[] = [];
    let full: Response | null = null;
    for (let index = 0; index < 20 && full === null; index++) {
      // One that stays in memory until it is stored, then large ones.
      const response = await upload(index, index % 2 === 0 ? 900_000 : 1_500_000);
      if (response.status === 200) ids.push(((await response.json()) as { id: string }).id);
      else full = response;
    }
    expect(full?.status).toBe(507);
    expect(await full?.json()).toMatchObject({ error: { code: "storage_full" } });
    expect(ids.length).toBeGreaterThan(3);
    for (const bytes of [4 << 20, 900_000]) {
      const statuses = await Promise.all([1, 2, 3].map(async (index) => (await upload(100 + index, bytes)).status));
      expect(statuses.every((status) => status === 507 || (status === 200 && bytes < 1 << 20))).toBe(true);
    }
    const listed = await list();
    await until("what was cut off to be removed", () => filesOn().length === listed.length);
    for (const { id, bytes } of listed) {
      expect((await (await gateway.fetch(`/v1/files/${id}/content`)).bytes()).length).toBe(bytes);
    }
    // Requests go on: their records are elsewhere.
    expect((await gateway.chat()).status).toBe(200);
  },
  60_000,
);
