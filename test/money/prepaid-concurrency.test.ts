import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../../src/access/manage.ts";
import type { Finding } from "../../src/billing/audit.ts";
import { systemClock } from "../../src/clock.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestDatabase, execute } from "../../src/storage/postgres/test-database.testkit.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { freePort, type GatewayProcess, startProcess } from "../process.testkit.ts";

/** Prepaid balances under more requests than they cover, on both databases, with one and two processes of the gateway. */

/** 100 output tokens at 10 USD for a million; a hold allows for the rounding of the kinds of tokens. */
const charge = 1_000;
const hold = charge + 6;
const account = "team";

/** A storage, processes of the gateway that share it, and a key of a prepaid account. */
interface Scene {
  readonly storage: Storage;
  /** Those that run; one that is started again takes its place. */
  readonly gateways: GatewayProcess[];
  readonly key: string;
  /** Starts the first process again, on the port and with the configuration that it had. */
  restart(): Promise<GatewayProcess>;
  /** Lets the leases of dead processes expire now. */
  expireLeases(): Promise<void>;
  close(): Promise<void>;
}

let sandbox: Sandbox;
let postgres: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  [sandbox, postgres] = await Promise.all([startSandbox(), createTestDatabase()]);
}, 120_000);
afterAll(async () => {
  await Promise.all([sandbox.stop(), postgres.drop()]);
});

const settings = { limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null } } as const;

async function setUp(kind: "SQLite" | "Postgres", processes: number, credit: number): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-prepaid-"));
  const database = kind === "Postgres" ? await createTestDatabase() : null;
  const path = join(folder, "tollgate.db");
  const url = database?.url ?? `sqlite:${path}`;
  const storage = await openStorage(url);
  const createdAt = Date.now();
  await storage.accounts.create({ id: account, name: "Team", mode: "prepaid", markupBasisPoints: 0, createdAt });
  await storage.accounts.post({
    id: "ent_first",
    accountId: account,
    kind: "credit",
    amountMicrousd: credit,
    createdAt,
    idempotencyKey: null,
    note: null,
  });
  const { key } = await createKey(
    storage.keys,
    {
      name: "k",
      scopes: { models: null, endpoints: null },
      ...settings,
      expiresAt: null,
      admin: false,
      accountId: account,
    },
    systemClock,
  );
  const ports = await Promise.all(Array.from({ length: processes }, () => freePort()));
  const fileOf = (index: number) => join(folder, `tollgate-${index}.yaml`);
  const start = (index: number) => startProcess(fileOf(index), ports[index] ?? 0, folder, { TOLLGATE_STORAGE_URL: "" });
  const gateways = await Promise.all(
    Array.from({ length: processes }, async (_, index) => {
      const port = ports[index] ?? 0;
      writeFileSync(fileOf(index), configuration(port, url, join(folder, "journal")));
      return start(index);
    }),
  );
  return {
    storage,
    gateways,
    key,
    async restart() {
      const gateway = await start(0);
      gateways[0] = gateway;
      return gateway;
    },
    async expireLeases() {
      const statement = "update leases set expires_at = 0";
      if (database !== null) await execute(database.url, statement);
      else {
        const writer = new Database(path);
        writer.run("PRAGMA busy_timeout = 5000");
        writer.run(statement);
        writer.close();
      }
    },
    async close() {
      for (const gateway of gateways) gateway.kill("SIGTERM");
      await Promise.all(gateways.map(({ exited }) => exited));
      await storage.close();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(port: number, url: string, journal: string): string {
  return `
server: { port: ${port} }
storage: { url: "${url}", journal_dir: "${journal}" }
log: { level: error }
providers:
  - { id: sandbox, dialect: openai-chat, base_url: "${sandbox.url}/v1" }
models:
  - id: exact
    targets: [{ provider: sandbox, model: sandbox-chat }]
    prices: { input: 0, output: 10 }
    context_length: 100000
    max_output_tokens: 100
`;
}

interface Answer {
  /** 0 if the connection broke. */
  readonly status: number;
  readonly code: string | null;
}

async function ask({ url }: GatewayProcess, key: string, latencyMs: number): Promise<Answer> {
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "exact",
        messages: [{ role: "user", content: "Hello!" }],
        sandbox: { text: "Hello to you.", latency_ms: latencyMs, tokens: { input: 9, output: 100 } },
      }),
    });
    const body = (await response.json()) as { error?: { code: string } };
    return { status: response.status, code: body.error?.code ?? null };
  } catch {
    return { status: 0, code: null };
  }
}

/** The number of answers with this status. */
const count = (answers: readonly Answer[], status: number) => answers.filter((each) => each.status === status).length;

async function findings(storage: Storage): Promise<Finding[]> {
  const found: Finding[] = [];
  await storage.auditor.audit((finding) => found.push(finding));
  return found;
}

/** The balance once all records are in the storage, which on SQLite takes a moment. */
async function settledBalance(storage: Storage, charges: number): Promise<number> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const entries = await storage.accounts.entries(account, { limit: 1_000, after: null });
    if (entries.filter(({ kind }) => kind === "charge").length >= charges || performance.now() > deadline) break;
    await Bun.sleep(20);
  }
  const balance = await storage.accounts.balance(account);
  return balance?.balanceMicrousd ?? Number.NaN;
}

describe.each(["SQLite", "Postgres"] as const)("%s", (kind) => {
  test.each([1, 2])(
    "200 requests at once on a balance that covers 10, with %p process(es): 10 are served",
    async (processes) => {
      const scene = await setUp(kind, processes, 10 * hold + 17);
      try {
        const { gateways, key, storage } = scene;
        const [first] = gateways;
        if (first === undefined) throw new Error("There is no gateway.");
        const answers = await Promise.all(
          Array.from({ length: 200 }, (_, index) => ask(gateways[index % processes] ?? first, key, 5_000)),
        );
        expect([count(answers, 200), count(answers, 402)]).toEqual([10, 190]);
        expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([null, "insufficient_balance"]));
        expect(await settledBalance(storage, 10)).toBe(10 * hold + 17 - 10 * charge);
        const charges = (await storage.accounts.entries(account, { limit: 1_000, after: null }))
          .filter((entry) => entry.kind === "charge")
          .map(({ amountMicrousd }) => amountMicrousd);
        expect(charges).toEqual(Array.from({ length: 10 }, () => -charge));
        expect(await findings(storage)).toEqual([]);
      } finally {
        await scene.close();
      }
    },
    120_000,
  );

  test("after each of 12 kills under load the audit finds nothing, and nothing that was not charged is lost", async () => {
    const credit = 1_000_000 * hold;
    const scene = await setUp(kind, 1, credit);
    try {
      const { key, storage } = scene;
      let [gateway] = scene.gateways;
      let served = 0;
      for (let kills = 0; kills < 12 && gateway !== undefined; kills += 1) {
        const running = gateway;
        const load = { on: true };
        const workers = Array.from({ length: 8 }, async () => {
          while (load.on) {
            const { status } = await ask(running, key, 0);
            if (status === 200) served += 1;
          }
        });
        await Bun.sleep(100 + Math.random() * 200);
        running.kill("SIGKILL");
        load.on = false;
        await Promise.all([running.exited, ...workers]);
        expect(await findings(storage)).toEqual([]);
        gateway = await scene.restart();
        expect(await findings(storage)).toEqual([]);
      }
      expect((await ask(gateway ?? (await scene.restart()), key, 0)).status).toBe(200);
      gateway?.kill("SIGTERM");
      await gateway?.exited;
      await scene.restart();
      const balance = await storage.accounts.balance(account);
      const charged = (credit - (balance?.balanceMicrousd ?? 0)) / charge;
      expect(Number.isInteger(charged)).toBe(true);
      expect(charged).toBeGreaterThan(served);
      // A record of an answer that was lost with its process may have been kept, of one that was under way at most.
      expect(charged).toBeLessThanOrEqual(served + 1 + 12 * 8);
      expect(await findings(storage)).toEqual([]);
    } finally {
      await scene.close();
    }
  }, 180_000);

  test("of two processes one is killed half-way: nothing is lost or made, and what it had returns", async () => {
    const credit = 120 * hold;
    const scene = await setUp(kind, 2, credit);
    try {
      const { gateways, key, storage } = scene;
      const [survivor, victim] = gateways;
      if (survivor === undefined || victim === undefined) throw new Error("Two gateways are needed.");
      let answered = 0;
      const asking = Array.from({ length: 200 }, async (_, index) => {
        const answer = await ask(index % 2 === 0 ? survivor : victim, key, 20 + ((index * 37) % 400));
        answered += 1;
        if (answered === 60) victim.kill("SIGKILL");
        return answer;
      });
      const answers = await Promise.all(asking);
      expect(count(answers, 0)).toBeGreaterThan(0);
      const served = count(answers, 200);
      // A request whose answer was lost with its process may have been charged: its record was kept.
      await scene.expireLeases();
      const deadline = performance.now() + 60_000;
      let leased = Infinity;
      while (leased > 0 && performance.now() < deadline) {
        await Bun.sleep(200);
        leased = (await storage.accounts.balance(account))?.leasedMicrousd ?? 0;
      }
      expect(leased).toBe(0);
      const entries = await storage.accounts.entries(account, { limit: 1_000, after: null });
      const charged = entries.filter((entry) => entry.kind === "charge").length;
      expect(charged).toBeGreaterThanOrEqual(served);
      expect(entries.filter((entry) => entry.kind === "adjustment")).toEqual([]);
      expect(await settledBalance(storage, charged)).toBe(credit - charged * charge);

      // All of the rest can be spent, to the last request that it covers.
      const due = Math.floor((credit - charged * charge) / hold);
      const rest = await Promise.all(Array.from({ length: due + 50 }, () => ask(survivor, key, 5_000)));
      expect([count(rest, 200), count(rest, 402)]).toEqual([due, 50]);
      expect(await settledBalance(storage, charged + due)).toBe(credit - (charged + due) * charge);
      expect(await findings(storage)).toEqual([]);
    } finally {
      await scene.close();
    }
  }, 180_000);
});
