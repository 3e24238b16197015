import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../../src/access/manage.ts";
import type { Finding } from "../../src/billing/audit.ts";
import { systemClock } from "../../src/clock.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { freePort, startProcess } from "../process.testkit.ts";
import { tester } from "../../src/changes/actor.testkit.ts";

/** The number of times the gateway is killed. */
const kills = Number(process.env.TOLLGATE_TEST_KILLS ?? 300);
const workers = 8;

/** A request with a complete answer. `tokens` is its unique number of input tokens, which identifies it. */
interface Complete {
  readonly id: string;
  readonly tokens: number;
}

/** 0.25 USD for a million input tokens, rounded half up; the one output token costs 2 micro-USD. */
function amountOf(tokens: number): number {
  return Math.floor((tokens * 250_000 + 500_000) / 1_000_000) + 2;
}

test(
  `${kills} kills under load: what a caller saw complete has exactly one record, with the right amount`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-crash-"));
    const sandbox = await startSandbox({ log: { requests: 0, bytes: 0 } });
    const database = join(folder, "tollgate.db");
    const port = await freePort();
    const configFile = join(folder, "tollgate.yaml");
    writeFileSync(configFile, configuration(port, database, `${sandbox.url}/v1`));
    const key = await makeKey(`sqlite:${database}`);

    let marked = 0;
    let toCheck: Complete[] = [];
    let completed = 0;
    const url = `http://127.0.0.1:${port}`;

    const ask = async (stream: boolean): Promise<void> => {
      const tokens = ++marked;
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "crash",
          stream,
          messages: [{ role: "user", content: "Hello!" }],
          sandbox: { text: "Hello to you.", chunks: 4, tokens: { input: tokens, output: 1 } },
        }),
      });
      const text = await response.text();
      const whole = stream ? text.endsWith("data: [DONE]\n\n") : response.status === 200;
      const id = response.headers.get("x-service-request-id");
      if (whole && id !== null) toCheck.push({ id, tokens });
    };

    const check = async (): Promise<void> => {
      const checking = toCheck;
      toCheck = [];
      completed += checking.length;
      await inParallel(checking, async ({ id, tokens }) => {
        const response = await fetch(`${url}/api/usage/requests/${id}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        const record = (await response.json()) as Record<string, unknown>;
        expect(record).toMatchObject({
          id,
          status: "succeeded",
          usage: { prompt_tokens: tokens, completion_tokens: 1 },
          billing: { amount_microusd: amountOf(tokens), status: "charged" },
        });
      });
    };

    try {
      for (let killed = 0; killed < kills; killed++) {
        const gateway = await startProcess(configFile, port, folder);
        await check();
        const load = { on: true };
        const loads = Array.from({ length: workers }, async (_, worker) => {
          while (load.on) await ask(worker % 2 === 0).catch(() => undefined);
        });
        await Bun.sleep(5 + Math.random() * 120);
        gateway.kill("SIGKILL");
        load.on = false;
        await Promise.all([gateway.exited, ...loads]);
      }
      const gateway = await startProcess(configFile, port, folder);
      await check();
      gateway.kill("SIGTERM");
      expect(await gateway.exited).toBe(0);

      const records = new Database(database, { readonly: true });
      const doubled = records
        .query(
          "SELECT input_tokens AS tokens, count(*) AS times FROM requests WHERE status = 'succeeded' GROUP BY 1 HAVING times > 1",
        )
        .all();
      records.close();
      expect(doubled).toEqual([]);
      expect(await findingsOf(`sqlite:${database}`)).toEqual([]);
      // Too little load would prove nothing.
      expect(completed).toBeGreaterThan(kills * 5);
    } finally {
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  15 * 60_000,
);

/** What an audit of the whole book finds wrong. */
async function findingsOf(storageUrl: string): Promise<Finding[]> {
  const storage = await openStorage(storageUrl);
  const found: Finding[] = [];
  await storage.auditor.audit((finding) => found.push(finding));
  await storage.close();
  return found;
}

async function makeKey(storageUrl: string): Promise<string> {
  const storage = await openStorage(storageUrl);
  const { key } = await createKey(
    storage.keys,
    {
      name: "crash",
      scopes: { models: null, endpoints: null },
      limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
      expiresAt: null,
      admin: false,
    },
    systemClock,
    tester,
  );
  await storage.close();
  return key;
}

async function inParallel<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const item of queue) await act(item);
    }),
  );
}

function configuration(port: number, database: string, baseUrl: string): string {
  return `
server: { port: ${port} }
storage: { url: "sqlite:${database}" }
log: { level: error }
providers:
  - { id: sandbox, dialect: openai-chat, base_url: "${baseUrl}" }
models:
  - { id: crash, targets: [{ provider: sandbox, model: sandbox-chat }], prices: { input: 0.25, output: 2.00 } }
`;
}
