import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { createKey } from "../src/access/manage.ts";
import { systemClock } from "../src/clock.ts";
import { startSandbox, type Sandbox } from "../src/sandbox/server.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { dialects, modelOf, upstreamModels } from "../test/dialects/gateway.testkit.ts";
import type { TestRecord } from "../test/gateway.testkit.ts";
import { freePort, startProcess } from "../test/process.testkit.ts";

/** The counts of every scripted answer. Input includes what was cached, output the reasoning. */
export const scriptedTokens = { input: 100, cache_read: 40, cache_write: 0, output: 30, reasoning: 10 };
/** USD per million tokens. */
const prices = { input: 1, cache_read: 0.5, output: 2 };
/** The price of a scripted answer. */
export const scriptedMicrousd = 60 * prices.input + 40 * prices.cache_read + 30 * prices.output;

/** A gateway as an operator starts it, in front of a provider of each dialect, all of them the sandbox. */
export interface SuiteGateway {
  readonly url: string;
  readonly sandbox: Sandbox;
  newKey(name: string): Promise<{ readonly id: string; readonly key: string }>;
  /** The records of the key's settled requests, oldest first. Waits until the providers have no open request. */
  records(key: { readonly id: string; readonly key: string }): Promise<TestRecord[]>;
  /** Stores routes, as the section `routes` of a configuration has them. */
  putRoutes(yaml: string): Promise<void>;
  /** Removes the routes that were put: the next cell does not see them. */
  removeRoutes(): Promise<void>;
  stop(): Promise<void>;
}

/** @param folder where the gateway keeps its storage */
export async function startSuiteGateway(folder: string): Promise<SuiteGateway> {
  const sandbox = await startSandbox({
    models: Object.fromEntries(Object.values(upstreamModels).map((model) => [model, {}])),
  });
  const port = await freePort();
  const storageUrl = `sqlite:${join(folder, "tollgate.db")}`;
  const configFile = join(folder, "tollgate.yaml");
  mkdirSync(folder, { recursive: true });
  // JSON is YAML too.
  writeFileSync(configFile, JSON.stringify(configuration(port, storageUrl, join(folder, "journal"), sandbox.url)));
  const gateway = await startProcess(configFile, port, folder);
  const storage = await openStorage(storageUrl);
  const newKey = async (name: string, admin: boolean) => {
    const scopes = { models: null, endpoints: null };
    const limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };
    const made = await createKey(storage.keys, { name, scopes, limits, expiresAt: null, admin }, systemClock, {
      kind: "gateway",
    });
    return { id: made.apiKey.id, key: made.key };
  };
  const admin = await newKey("admin", true);
  const put = new Set<string>();
  const askOfRoute = async (id: string, request: RequestInit) => {
    const headers = { authorization: `Bearer ${admin.key}`, "content-type": "application/json" };
    const response = await fetch(`${gateway.url}/api/admin/routes/${id}`, { ...request, headers });
    if (!response.ok) throw new Error(`the route ${id}: ${await response.text()}`);
  };
  return {
    url: gateway.url,
    sandbox,
    newKey: (name) => newKey(name, false),
    async putRoutes(yaml) {
      const { routes } = parse(yaml) as { readonly routes: readonly ({ readonly id: string } & object)[] };
      for (const { id, ...route } of routes) {
        await askOfRoute(id, { method: "PUT", body: JSON.stringify(route) });
        put.add(id);
      }
    },
    async removeRoutes() {
      for (const id of put) {
        await askOfRoute(id, { method: "DELETE" });
        put.delete(id);
      }
    },
    async records({ id, key }) {
      await sandbox.waitFor((requests) => requests.every(({ outcome }) => outcome !== "open"));
      const ids = requestIds(gateway.output(), id);
      return Promise.all(ids.map((requestId) => readRecord(gateway.url, requestId, key)));
    },
    async stop() {
      gateway.kill("SIGTERM");
      await gateway.exited;
      await storage.close();
      await sandbox.stop();
    },
  };
}

function configuration(port: number, storageUrl: string, journalFolder: string, sandboxUrl: string): object {
  return {
    server: { port },
    storage: { url: storageUrl, journal_dir: journalFolder },
    log: { format: "json" },
    providers: dialects.map((dialect) => ({
      id: dialect,
      dialect,
      base_url: dialect.startsWith("openai") ? `${sandboxUrl}/v1` : sandboxUrl,
      api_key: "provider-key-of-the-suite",
    })),
    models: dialects.map((dialect) => ({
      id: modelOf(dialect),
      targets: [{ provider: dialect, model: upstreamModels[dialect] }],
      context_length: 200_000,
      max_output_tokens: 64_000,
      prices,
    })),
    search: {
      backends: [
        {
          id: "pages",
          provider: "tavily",
          base_url: `${sandboxUrl}/search/tavily`,
          api_key: "key",
          search_price: 0.008,
        },
      ],
    },
  };
}

/** The log has one line for each request, written when it is settled. */
function requestIds(log: string, keyId: string): string[] {
  return log
    .split("\n")
    .filter((line) => line.includes(`"key_id":"${keyId}"`) && line.includes('"message":"request"'))
    .map((line) => JSON.parse(line) as { readonly request_id: string; readonly method?: string })
    .filter(({ method }) => method === undefined)
    .map(({ request_id }) => request_id);
}

async function readRecord(url: string, id: string, key: string): Promise<TestRecord> {
  const response = await fetch(`${url}/api/usage/requests/${id}`, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`The request ${id} left no record: ${response.status}`);
  return (await response.json()) as TestRecord;
}
