import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { account, ask, charge, createScene, findingsOf, hold, storageKinds } from "./scene.testkit.ts";

/** Kills a gateway again and again while a prepaid account is served: `TOLLGATE_CRASH_KILLS` says how often. */

const kills = Number(process.env.TOLLGATE_CRASH_KILLS ?? 12);
const workers = 8;
const launcher = join(import.meta.dir, "..", "..", "bin", "tollgate");

let sandbox: Sandbox;
let postgres: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  // The server of the databases starts with the first.
  [sandbox, postgres] = await Promise.all([startSandbox(), createTestDatabase()]);
}, 120_000);
afterAll(async () => {
  await Promise.all([sandbox.stop(), postgres.drop()]);
});

/** Runs `tollgate audit`, and gives its exit code and output. */
async function audit(configFile: string): Promise<readonly [code: number, output: string]> {
  const child = Bun.spawn([launcher, "audit", "--config", configFile], { stdout: "pipe", stderr: "pipe" });
  const [code, out, error] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return [code, out + error];
}

test.each(storageKinds)(
  `%s: after each of ${kills} kills under load the audit finds nothing, and nothing that was not charged is lost`,
  async (kind) => {
    const credit = 1_000_000 * hold;
    const scene = await createScene({ kind, processes: 1, credit, sandboxUrl: sandbox.url });
    try {
      const { key, storage, configFile } = scene;
      let [gateway] = scene.gateways;
      let served = 0;
      for (let kill = 0; kill < kills && gateway !== undefined; kill += 1) {
        const running = gateway;
        const load = { on: true };
        const asking = Array.from({ length: workers }, async (_, worker) => {
          while (load.on) {
            const { status } = await ask(running, key, worker, worker % 2 === 0);
            if (status === 200) served += 1;
          }
        });
        await Bun.sleep(50 + Math.random() * 250);
        running.kill("SIGKILL");
        load.on = false;
        await Promise.all([running.exited, ...asking]);
        const [code, output] = await audit(configFile);
        expect([code, output]).toEqual([0, expect.stringMatching(/^Looked at 2 accounts, /)]);
        gateway = await scene.restart();
        expect(await findingsOf(storage)).toEqual([]);
      }
      expect(served).toBeGreaterThan(kills);
      gateway?.kill("SIGTERM");
      await gateway?.exited;
      const balance = (await storage.accounts.balance(account))?.balanceMicrousd ?? Number.NaN;
      const charged = (credit - balance) / charge;
      expect(charged).toBeGreaterThanOrEqual(served);
      // Of an answer that was lost with its process the record may have been kept, of one for each worker at most.
      expect(charged).toBeLessThanOrEqual(served + kills * workers);
      const records = (await storage.accounts.entries(account, { limit: 1_000_000, after: null })).filter(
        (entry) => entry.kind === "charge",
      );
      expect(records.length).toBe(charged);
      // Whatever the last process had on lease is free again.
      expect(await storage.accounts.balance(account)).toMatchObject({ heldMicrousd: 0, balanceMicrousd: balance });
      expect(await findingsOf(storage)).toEqual([]);
    } finally {
      await scene.close();
    }
  },
  30_000 + kills * 15_000,
);
