import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../../src/access/manage.ts";
import type { Finding } from "../../src/billing/audit.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { systemClock } from "../../src/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestDatabase, execute } from "../../src/storage/postgres/test-database.testkit.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { freePort, type GatewayProcess, startProcess } from "../process.testkit.ts";

/** Requests whose cost is known: 100 output tokens at 10 USD for a million. */
export const charge = 1_000;
/** A hold allows for the rounding of the kinds of tokens. */
export const hold = charge + 6;
/** The account of the scene's key. */
export const account = "team";

export const storageKinds = ["SQLite", "Postgres"] as const;

export interface SceneOptions {
  readonly kind: (typeof storageKinds)[number];
  /** How many processes of the gateway share the storage. */
  readonly processes: number;
  /** The balance of a prepaid account; null for an unlimited one. */
  readonly credit: number | null;
  readonly sandboxUrl: string;
  /** Called before the first process starts. */
  readonly prepare?: (storage: Storage, keyId: string) => Promise<void>;
}

/** A storage, processes of the gateway that share it, and a key. */
export interface Scene {
  readonly storage: Storage;
  /** Those that run; one that is started again takes its place. */
  readonly gateways: GatewayProcess[];
  readonly key: string;
  /** The configuration file of the first process. */
  readonly configFile: string;
  /** Starts the first process again, on the port and with the configuration that it had. */
  restart(): Promise<GatewayProcess>;
  /** Runs a statement on the database by a connection of its own, and gives its rows. */
  run(statement: string): Promise<object[]>;
  close(): Promise<void>;
}

export async function createScene({ kind, processes, credit, sandboxUrl, prepare }: SceneOptions): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-money-"));
  const database = kind === "Postgres" ? await createTestDatabase() : null;
  const path = join(folder, "tollgate.db");
  const url = database?.url ?? `sqlite:${path}`;
  const storage = await openStorage(url);
  await createAccount(storage, credit);
  const { key, apiKey } = await createKey(
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
  await prepare?.(storage, apiKey.id);
  const ports = await Promise.all(Array.from({ length: processes }, () => freePort()));
  const fileOf = (index: number) => join(folder, `tollgate-${index}.yaml`);
  const start = (index: number) => startProcess(fileOf(index), ports[index] ?? 0, folder, { TOLLGATE_STORAGE_URL: "" });
  const gateways = await Promise.all(
    ports.map(async (port, index) => {
      writeFileSync(fileOf(index), configuration({ port, url, journal: join(folder, "journal"), sandboxUrl }));
      return start(index);
    }),
  );
  return {
    storage,
    gateways,
    key,
    configFile: fileOf(0),
    async restart() {
      const gateway = await start(0);
      gateways[0] = gateway;
      return gateway;
    },
    async run(statement) {
      if (database !== null) return execute(database.url, statement);
      const connection = new Database(path);
      connection.run("PRAGMA busy_timeout = 5000");
      const rows = connection.query<object, []>(statement).all();
      connection.close();
      return rows;
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

async function createAccount({ accounts }: Storage, credit: number | null): Promise<void> {
  const createdAt = Date.now();
  const mode = credit === null ? "unlimited" : "prepaid";
  await accounts.create({ id: account, name: "Team", mode, markupBasisPoints: 0, createdAt }, tester);
  if (credit === null) return;
  const entry = { id: "ent_first", accountId: account, createdAt, idempotencyKey: null, note: null, by: tester };
  await accounts.post({ ...entry, kind: "credit", amountMicrousd: credit });
}

interface Settings {
  readonly port: number;
  readonly url: string;
  readonly journal: string;
  readonly sandboxUrl: string;
}

function configuration({ port, url, journal, sandboxUrl }: Settings): string {
  return `
server: { port: ${port}, max_refused_per_minute: 0 }
storage: { url: "${url}", journal_dir: "${journal}" }
log: { level: error }
providers:
  - { id: sandbox, dialect: openai-chat, base_url: "${sandboxUrl}/v1" }
models:
  - id: exact
    targets: [{ provider: sandbox, model: sandbox-chat }]
    prices: { input: 0, output: 10 }
    context_length: 100000
    max_output_tokens: 100
`;
}

export interface Answer {
  /** 0 if the connection broke. */
  readonly status: number;
  readonly code: string | null;
}

/** Sends a request that costs `charge`. */
export async function ask({ url }: GatewayProcess, key: string, latencyMs: number, stream = false): Promise<Answer> {
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "exact",
        stream,
        messages: [{ role: "user", content: "Hello!" }],
        sandbox: { text: "Hello to you.", latency_ms: latencyMs, tokens: { input: 9, output: 100 } },
      }),
    });
    const text = await response.text();
    if (response.status === 200) return { status: stream && !text.endsWith("[DONE]\n\n") ? 0 : 200, code: null };
    const body = JSON.parse(text) as { error?: { code: string } };
    return { status: response.status, code: body.error?.code ?? null };
  } catch {
    return { status: 0, code: null };
  }
}

/** The number of answers with this status. */
export const count = (answers: readonly Answer[], status: number): number =>
  answers.filter((each) => each.status === status).length;

export async function findingsOf({ auditor }: Storage): Promise<Finding[]> {
  const found: Finding[] = [];
  await auditor.audit((finding) => found.push(finding));
  return found;
}

/** The charges in the ledger once there are `charges` of them, which on SQLite takes a moment. Whole micro-USD. */
export async function settledCharges({ accounts }: Storage, charges: number): Promise<number[]> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const entries = await accounts.entries(account, { limit: 1_000, after: null });
    const found = entries.filter(({ kind }) => kind === "charge");
    if (found.length >= charges || performance.now() > deadline) {
      return found.map(({ amountMicrousd }) => -amountMicrousd);
    }
    await Bun.sleep(20);
  }
}

/** The balance once that many charges are in the ledger. */
export async function settledBalance(storage: Storage, charges: number): Promise<number> {
  await settledCharges(storage, charges);
  return (await storage.accounts.balance(account))?.balanceMicrousd ?? Number.NaN;
}
