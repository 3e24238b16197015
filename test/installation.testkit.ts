import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../src/access/manage.ts";
import { systemClock } from "../src/clock.ts";
import { startSandbox, type Sandbox } from "../src/sandbox/server.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import type { Storage } from "../src/storage/storage.ts";
import { freePort, type GatewayProcess, startProcess } from "./process.testkit.ts";
import { tester } from "../src/changes/actor.testkit.ts";

/** An installation: a directory with a configuration, a storage with a key, and a provider (the sandbox). */
export interface Installation {
  readonly folder: string;
  readonly configFile: string;
  readonly key: string;
  readonly keyId: string;
  readonly sandbox: Sandbox;
  /** The gateway's storage, opened directly. */
  readonly storage: Storage;
  /** Starts the gateway in its own process and waits until it answers. */
  start(): Promise<GatewayProcess>;
  /** Sends a chat request to the gateway. */
  chat(body?: Readonly<Record<string, unknown>>, init?: RequestInit): Promise<Response>;
  /** Looks up a record through the gateway. */
  look(id: string | null): Promise<Response>;
  /** Kills running processes and removes the directory. */
  remove(): Promise<void>;
}

export interface InstallationOptions {
  /** Default: a SQLite file in the directory. */
  readonly storageUrl?: string;
  /** Further fields of `server`, as YAML. */
  readonly server?: string;
  /** Further providers and models, as lines of YAML lists. */
  readonly providers?: (sandboxUrl: string) => readonly string[];
  readonly models?: readonly string[];
}

export async function createInstallation({
  storageUrl,
  server = "",
  providers = () => [],
  models = [],
}: InstallationOptions = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-installation-"));
  const sandbox = await startSandbox();
  const port = await freePort();
  const configFile = join(folder, "tollgate.yaml");
  const url = storageUrl ?? `sqlite:${join(folder, "tollgate.db")}`;
  const more = { providers: providers(sandbox.url), models };
  writeFileSync(configFile, configuration(`port: ${port}, ${server}`, url, `${sandbox.url}/v1`, more));
  const storage = await openStorage(url);
  const { key, apiKey } = await createKey(
    storage.keys,
    {
      name: "test",
      scopes: { models: null, endpoints: null },
      limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
      expiresAt: null,
      admin: false,
    },
    systemClock,
    tester,
  );
  const started: GatewayProcess[] = [];
  const base = `http://127.0.0.1:${port}`;
  const authorization = `Bearer ${key}`;
  return {
    folder,
    configFile,
    key,
    keyId: apiKey.id,
    sandbox,
    storage,
    async start() {
      const gateway = await startProcess(configFile, port, folder);
      started.push(gateway);
      return gateway;
    },
    chat: (body = {}, init = {}) =>
      fetch(`${base}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ model: "plain", messages: [{ role: "user", content: "Hello!" }], ...body }),
        ...init,
      }),
    look: (id) => fetch(`${base}/api/usage/requests/${id}`, { headers: { authorization } }),
    async remove() {
      for (const gateway of started) gateway.kill("SIGKILL");
      await Promise.all(started.map((gateway) => gateway.exited));
      await storage.close();
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(
  server: string,
  storageUrl: string,
  baseUrl: string,
  more: { readonly providers: readonly string[]; readonly models: readonly string[] },
): string {
  const listed = (lines: readonly string[]) => lines.map((line) => `\n  - ${line}`).join("");
  return `
server: { ${server} }
storage: { url: "${storageUrl}", journal_dir: ./journal }
providers:
  - { id: sandbox, dialect: openai-chat, base_url: "${baseUrl}" }${listed(more.providers)}
models:
  - { id: plain, targets: [{ provider: sandbox, model: sandbox-chat }], prices: { input: 1, output: 2 } }${listed(more.models)}
`;
}
