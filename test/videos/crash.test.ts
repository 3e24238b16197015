import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../../src/access/manage.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { systemClock } from "../../src/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { startReceiver } from "../../src/webhooks/receiver.testkit.ts";
import { findingsOf } from "../money/scene.testkit.ts";
import { freePort, startProcess } from "../process.testkit.ts";
import { until } from "../until.testkit.ts";
import { startFlakyProvider } from "./flaky-provider.testkit.ts";

/**
 * Kills gateways again and again while they make films at a provider that fails now and then: `TOLLGATE_CRASH_KILLS` says
 * how often.
 */

const kills = Number(process.env.TOLLGATE_CRASH_KILLS ?? 4);
const account = "team";
const film = 400_000;
const workers = 3;

let folder: string;
const receiver = startReceiver();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-video-crash-"));
});
afterAll(async () => {
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ["SQLite", 1],
  ["Postgres", 2],
] as const)(
  `%s, %p processes: after ${kills} kills each job has one end, is charged once or not at all, and is told of`,
  async (kind, processes) => {
    const provider = startFlakyProvider();
    const database = kind === "Postgres" ? await createTestDatabase() : null;
    const own = mkdtempSync(join(folder, "run-"));
    const url = database?.url ?? `sqlite:${join(own, "tollgate.db")}`;
    const storage = await openStorage(url);
    const credit = 1_000_000 * film;
    await storage.accounts.create(
      { id: account, name: "Team", mode: "prepaid", markupBasisPoints: 0, createdAt: Date.now() },
      tester,
    );
    await storage.accounts.post({
      id: "ent_first",
      accountId: account,
      createdAt: Date.now(),
      idempotencyKey: null,
      note: null,
      by: tester,
      kind: "credit",
      amountMicrousd: credit,
    });
    const { key } = await createKey(
      storage.keys,
      {
        name: "k",
        scopes: { models: null, endpoints: null },
        limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
        expiresAt: null,
        admin: false,
        accountId: account,
      },
      systemClock,
      tester,
    );
    const ports = await Promise.all(Array.from({ length: processes }, () => freePort()));
    const start = (index: number) => {
      const file = join(own, `tollgate-${index}.yaml`);
      writeFileSync(file, configuration(ports[index] ?? 0, url, own, provider.url));
      return startProcess(file, ports[index] ?? 0, own, { TOLLGATE_STORAGE_URL: "" });
    };
    const gateways = await Promise.all(ports.map((_, index) => start(index)));
    const told = new Set<string>();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const load = { on: true };
    let number = 0;
    const working = Array.from({ length: workers }, async (_, worker) => {
      while (load.on) {
        const gateway = gateways[worker % processes];
        const body = JSON.stringify({ model: "flaky", prompt: `Film ${(number += 1)}`, seconds: 4 });
        try {
          const response = await fetch(`${gateway?.url}/v1/videos`, { method: "POST", headers, body });
          const { id } = (await response.json()) as { id?: string };
          if (response.status === 200 && id !== undefined) told.add(id);
        } catch {
          // It was killed.
        }
        await Bun.sleep(30 + Math.random() * 100);
      }
    });
    for (let kill = 0; kill < kills; kill += 1) {
      await Bun.sleep(200 + Math.random() * 1_500);
      const index = kill % processes;
      gateways[index]?.kill("SIGKILL");
      await gateways[index]?.exited;
      gateways[index] = await start(index);
    }
    load.on = false;
    await Promise.all(working);

    const everyJob = async () => storage.videoJobs.listAll({ after: null, limit: 100_000, unpaid: false });
    await until(
      "the end of all jobs",
      async () => {
        await Bun.sleep(500);
        return (await everyJob()).every(({ status }) => status === "completed" || status === "failed");
      },
      1_000,
    );
    const jobs = await everyJob();
    expect(jobs.length).toBeGreaterThan(kills);
    // What a caller was told of is there.
    const ids = new Set(jobs.map(({ id }) => id));
    expect([...told].filter((id) => !ids.has(id))).toEqual([]);
    const completed = jobs.filter(({ status }) => status === "completed");
    expect(completed.length).toBeGreaterThan(0);
    const entries = await storage.accounts.entries(account, { limit: 1_000_000, after: null });
    const charges = Map.groupBy(
      entries.filter(({ kind: entry }) => entry === "charge"),
      ({ requestId }) => requestId,
    );
    expect(charges.size).toBe(completed.length);
    for (const { id, requestId, status, facts } of jobs) {
      const charged = (charges.get(requestId) ?? []).map(({ amountMicrousd }) => -amountMicrousd);
      expect([id, status, facts.error?.code ?? null, charged]).toEqual([
        id,
        status,
        facts.error?.code ?? null,
        status === "completed" ? [film] : [],
      ]);
      const record = await storage.records.findAnyones(requestId);
      expect(record?.status).toBe(status === "completed" ? "succeeded" : "failed");
    }
    // No job of the provider's is two of ours, and none was asked for by two processes at once.
    const atProvider = jobs.flatMap(({ providerJobId }) => providerJobId ?? []);
    expect(new Set(atProvider).size).toBe(atProvider.length);
    expect([...provider.askedTwice]).toEqual([]);
    expect(await storage.accounts.balance(account)).toMatchObject({
      balanceMicrousd: credit - completed.length * film,
      heldMicrousd: 0,
    });
    const toldOf = () => new Map(receiver.received.map(({ id, body }) => [id, body]));
    await until(
      "all webhooks",
      async () => {
        await Bun.sleep(500);
        const events = toldOf();
        return jobs.every(({ id }) => events.has(`evt_${id}`));
      },
      1_000,
    );
    // However often it came, it said the same.
    const last = toldOf();
    expect(receiver.received.filter(({ id, body }) => last.get(id) !== body)).toEqual([]);
    expect(await findingsOf(storage)).toEqual([]);
    for (const gateway of gateways) gateway.kill("SIGTERM");
    await Promise.all(gateways.map(({ exited }) => exited));
    await storage.close();
    await database?.drop();
    await provider.stop();
  },
  120_000 + kills * 15_000,
);

function configuration(port: number, url: string, own: string, provider: string): string {
  return `
server: { port: ${port}, max_refused_per_minute: 0 }
storage: { url: "${url}", journal_dir: "${join(own, `journal`)}" }
blobs: { url: "file:${join(own, "blobs")}" }
log: { level: error }
webhooks:
  - { url: "${receiver.url}/hook", secret: "a-secret-of-more-than-24-characters", events: ["video.*"], allow_private: true }
providers:
  - { id: flaky, dialect: openai-chat, base_url: "${provider}" }
models:
  - id: flaky
    targets: [{ provider: flaky, model: flaky }]
    endpoints: [videos]
    prices: { video_second: "0.1" }
`;
}
