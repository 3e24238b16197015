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
import { startCrashLoad } from "./crash-load.testkit.ts";
import { startFlakyProvider } from "./flaky-provider.testkit.ts";

/**
 * Kills gateways again and again while they make films at a provider that fails now and then, for callers that cancel and delete
 * some: `TOLLGATE_CRASH_KILLS` says how often. There are ten jobs for every three kills.
 */

const kills = Number(process.env.TOLLGATE_CRASH_KILLS ?? 4);
const films = Math.ceil((kills * 10) / 3);
const account = "team";
const film = 400_000;
/** All that is still to be done once nothing is killed any more has this long, in milliseconds. */
const drainMs = 60_000 + kills * 3_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-video-crash-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["SQLite", 1],
  ["Postgres", 2],
] as const)(
  `%s, %p processes: after ${kills} kills each job has one end, is charged once or not at all, and is told of`,
  async (kind, processes) => {
    const provider = startFlakyProvider();
    const receiver = startReceiver();
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
      writeFileSync(
        file,
        configuration(ports[index] ?? 0, url, own, { provider: provider.url, receiver: receiver.url }),
      );
      return startProcess(file, ports[index] ?? 0, own, { TOLLGATE_STORAGE_URL: "" });
    };
    const gateways = await Promise.all(ports.map((_, index) => start(index)));
    // A tenth of the webhooks are refused when they first come.
    const taken = new Set<string>();
    const refused = new Set<string>();
    receiver.answer = ({ id }) => {
      if (!refused.has(id) && !taken.has(id) && Math.random() < 0.1) {
        refused.add(id);
        return new Response(null, { status: 500 });
      }
      taken.add(id);
      return new Response(null, { status: 204 });
    };
    const load = startCrashLoad(() => gateways[Math.floor(Math.random() * processes)]?.url ?? "", key);
    let begun = 0;
    for (let kill = 1; kill <= kills; kill += 1) {
      const killAfterMs = 50 + Math.random() * 1_200;
      for (; begun < (films * kill) / kills; begun += 1) load.begin(killAfterMs + 20);
      await Bun.sleep(killAfterMs);
      const index = kill % processes;
      gateways[index]?.kill("SIGKILL");
      await gateways[index]?.exited;
      gateways[index] = await start(index);
    }
    await load.idle();

    const everyJob = async () => storage.videoJobs.listAll({ after: null, limit: 100_000, unpaid: false });
    await until(
      "the end of all jobs",
      async () => {
        await Bun.sleep(500);
        return (await everyJob()).every(({ status, phase }) => isEnd(status) && phase === "over");
      },
      drainMs / 100,
    );
    const jobs = await everyJob();
    expect(jobs.length).toBeGreaterThanOrEqual(films);
    // What a caller was told of is there, and has the end that a caller saw.
    const ends = new Map(jobs.map(({ id, status }) => [id, status]));
    expect([...load.told].filter((id) => !ends.has(id))).toEqual([]);
    expect([...load.seenEnds].filter(([id, end]) => ends.get(id) !== end)).toEqual([]);
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
      const failure = facts.error?.code === "cancelled" ? "cancelled" : "failed";
      expect(record?.status).toBe(status === "completed" ? "succeeded" : failure);
    }
    // No job of the provider's is two of ours, and none was asked for by two processes at once.
    const atProvider = jobs.flatMap(({ providerJobId }) => providerJobId ?? []);
    expect(new Set(atProvider).size).toBe(atProvider.length);
    expect([...provider.askedTwice]).toEqual([]);
    // What was given up as uncertain was never taken on, unless it has left the list, which has the newest hundred.
    if (provider.jobs.size <= 100) {
      const lost = new Set(
        jobs.filter(({ facts }) => facts.error?.code === "uncertain").map(({ facts }) => facts.prompt),
      );
      expect([...provider.jobs.values()].filter(({ prompt }) => lost.has(prompt))).toEqual([]);
    }
    expect(await storage.accounts.balance(account)).toMatchObject({
      balanceMicrousd: credit - completed.length * film,
      heldMicrousd: 0,
    });
    await until(
      "all webhooks",
      async () => {
        await Bun.sleep(500);
        return jobs.every(({ id }) => taken.has(`evt_${id}`));
      },
      drainMs / 100,
    );
    // However often it came, it came with one id and said the same.
    const events = Map.groupBy(receiver.received, ({ body }) => (JSON.parse(body) as WebhookBody).data.id);
    expect([...events.keys()].toSorted()).toEqual([...ends.keys()].toSorted());
    for (const [id, came] of events) {
      expect(new Set(came.map((each) => `${each.id} ${each.body}`))).toEqual(new Set([`evt_${id} ${came[0]?.body}`]));
    }
    expect(await findingsOf(storage)).toEqual([]);
    for (const gateway of gateways) gateway.kill("SIGTERM");
    await Promise.all(gateways.map(({ exited }) => exited));
    await storage.close();
    await database?.drop();
    await provider.stop();
    await receiver.stop();
  },
  120_000 + kills * 15_000,
);

interface WebhookBody {
  readonly data: { readonly id: string };
}

function isEnd(status: string): boolean {
  return status === "completed" || status === "failed";
}

function configuration(
  port: number,
  url: string,
  own: string,
  urls: { readonly provider: string; readonly receiver: string },
): string {
  return `
server: { port: ${port}, max_refused_per_minute: 0 }
storage: { url: "${url}", journal_dir: "${join(own, `journal`)}" }
blobs: { url: "file:${join(own, "blobs")}" }
log: { level: error }
webhooks:
  - { url: "${urls.receiver}/hook", secret: "a-secret-of-more-than-24-characters", events: ["video.*"], allow_private: true }
providers:
  - { id: flaky, dialect: openai-chat, base_url: "${urls.provider}" }
models:
  - id: flaky
    targets: [{ provider: flaky, model: flaky }]
    endpoints: [videos]
    prices: { video_second: "0.1" }
`;
}
