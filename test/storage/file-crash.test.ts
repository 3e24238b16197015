import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInstallation, type Installation } from "../installation.testkit.ts";
import { until } from "../until.testkit.ts";

/** The number of times the gateway is killed. */
const kills = Number(process.env.TOLLGATE_TEST_KILLS ?? 40);

interface BlobRow {
  readonly key: string;
}

/** Small ones stay in memory, large ones go to a scratch file; some contents are the same. */
function contentOf(index: number): string {
  const isLarge = index % 3 === 0;
  return `${index % 7} `.repeat(isLarge ? 700_000 : 100);
}

const blobsFolder = ({ folder }: Installation) => join(folder, "data", "blobs");

function blobsOn(installation: Installation): string[] {
  const folder = [join(installation.folder, "blobs"), blobsFolder(installation)].find((place) => existsSync(place));
  if (folder === undefined) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && !entry.parentPath.includes("scratch") ? [entry.name] : [],
  );
}

function scratchOn(installation: Installation): number {
  return readdirSync(installation.folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes("scratch") && entry.name !== "lock",
  ).length;
}

test(
  `${kills} kills within uploads and deletes: every listed file has all its bytes, and no others stay`,
  async () => {
    const installation = await createInstallation();
    const headers = { authorization: `Bearer ${installation.key}` };
    let made = 0;
    let deleted = 0;
    let uploads = 0;
    /** Files whose upload was answered and whose deletion was not asked for. */
    const kept = new Map<string, string>();
    try {
      for (let killed = 0; killed < kills; killed++) {
        const gateway = await installation.start();
        expect(scratchOn(installation)).toBe(0);
        const list = (await (await fetch(`${gateway.url}/v1/files`, { headers })).json()) as {
          data: { id: string; bytes: number; filename: string }[];
        };
        const listed = new Set(list.data.map(({ id }) => id));
        expect([...kept.keys()].filter((id) => !listed.has(id))).toEqual([]);
        for (const { id, bytes, filename } of list.data) {
          const content = contentOf(Number(filename));
          expect(bytes).toBe(content.length);
          const response = await fetch(`${gateway.url}/v1/files/${id}/content`, { headers });
          expect((await response.text()) === content).toBe(true);
        }
        const load = { isOn: true };
        const upload = async () => {
          const index = ++uploads;
          const form = new FormData();
          form.set("purpose", "user_data");
          form.set("file", new Blob([contentOf(index)]), String(index));
          const response = await fetch(`${gateway.url}/v1/files`, { method: "POST", headers, body: form });
          if (response.status !== 200) return;
          const { id } = (await response.json()) as { id: string };
          made++;
          kept.set(id, String(index));
        };
        const remove = async () => {
          const [id] = kept.size > 4 ? kept.keys() : [];
          if (id === undefined) {
            await Bun.sleep(1);
            return;
          }
          kept.delete(id);
          const response = await fetch(`${gateway.url}/v1/files/${id}`, { method: "DELETE", headers });
          if (response.status === 200) deleted++;
        };
        const loads = Array.from({ length: 4 }, async (_, worker) => {
          while (load.isOn) await (worker === 3 ? remove : upload)().catch(() => undefined);
        });
        await Bun.sleep(20 + Math.random() * 150);
        gateway.kill("SIGKILL");
        load.isOn = false;
        await Promise.all([gateway.exited, ...loads]);
      }

      // Claims of the uploads that were cut off are let run out here, rather than waited for.
      const database = new Database(join(installation.folder, "tollgate.db"));
      database.run("update blobs set claimed_until = 0");
      const gateway = await installation.start();
      const rows = () => database.query<BlobRow, []>("select distinct blob_key as key from files").all();
      const inUse = new Set(rows().map(({ key }) => key));
      await until("unused bytes to be removed", () => blobsOn(installation).every((key) => inUse.has(key)));
      expect(new Set(blobsOn(installation))).toEqual(inUse);
      await until(
        "their rows to be forgotten",
        () => database.query("select key from blobs").all().length === inUse.size,
      );
      database.close();
      expect(scratchOn(installation)).toBe(0);
      gateway.kill("SIGTERM");
      await gateway.exited;
      // Too little load would prove nothing.
      expect(made).toBeGreaterThan(kills);
      expect(deleted).toBeGreaterThan(kills / 4);
    } finally {
      await installation.remove();
    }
  },
  15 * 60_000,
);
