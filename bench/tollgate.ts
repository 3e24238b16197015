import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Call, Contender } from "./contender.ts";
import type { Pinning } from "./machine.ts";
import { requestBody } from "./payload.ts";
import { freePort, waitForPort } from "./ports.ts";
import { run, startServer } from "./processes.ts";
import { type Answering, chatPath, type Upstream, upstreamBase } from "./upstream.ts";

const models: Readonly<Record<Answering, string>> = {
  json: "bench-model",
  stream: "bench-model-stream",
  held: "bench-model-held",
};

const logName = "tollgate.log";

/** A Tollgate made ready to start: configuration written, key made, storage migrated. */
export interface TollgateSetup {
  readonly launcher: string;
  readonly place: readonly string[];
  readonly port: number;
  readonly key: string;
  readonly configurationFile: string;
  readonly databaseFile: string;
  readonly logFile: string;
}

/**
 * Writes everything that a Tollgate needs to stand before the upstream, in `folder`. Storage and log are what a user
 * gets who chooses nothing: SQLite and a line a request, both in real files.
 */
export async function prepareTollgate(
  launcher: string,
  setting: { readonly upstream: Upstream; readonly pinning: Pinning; readonly folder: string },
): Promise<TollgateSetup> {
  mkdirSync(setting.folder, { recursive: true });
  const port = freePort();
  const databaseFile = join(setting.folder, "tollgate.db");
  const configurationFile = join(setting.folder, "tollgate.yaml");
  // JSON is YAML too.
  writeFileSync(configurationFile, JSON.stringify(configuration(port, databaseFile, setting.upstream), null, 2));
  const options = ["--name", "bench", "--json", "--config", configurationFile];
  const printed = JSON.parse(await run([launcher, "keys", "create", ...options])) as { readonly key: string };
  const logFile = join(setting.folder, logName);
  return { launcher, place: setting.pinning.gateway, port, key: printed.key, configurationFile, databaseFile, logFile };
}

/** The end of what the Tollgate prepared in `folder` logged: where it failed, the reason is there. */
export function lastWords(folder: string): string {
  const file = join(folder, logName);
  return existsSync(file) ? readFileSync(file, "utf8").slice(-2000) : "";
}

/** Starts it, without waiting for anything. */
export function spawnTollgate(setup: TollgateSetup): Subprocess {
  const command = [...setup.place, setup.launcher, "start", "--config", setup.configurationFile];
  return startServer(command, setup.logFile, { NODE_ENV: "production" });
}

/** Starts it and waits until it accepts connections. */
export async function startTollgate(setup: TollgateSetup): Promise<Contender> {
  const server = spawnTollgate(setup);
  const gone = () => (server.exitCode === null ? null : "Tollgate did not start");
  await waitForPort(setup.port, gone);
  return { name: "tollgate", pid: server.pid, call: (answering) => tollgateCall(setup, answering) };
}

export function tollgateCall(setup: TollgateSetup, answering: Answering): Call {
  return {
    port: setup.port,
    path: `/v1${chatPath}`,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${setup.key}` },
    body: requestBody(models[answering], answering !== "json"),
  };
}

function configuration(port: number, databaseFile: string, upstream: Upstream) {
  const kinds = Object.keys(models) as Answering[];
  return {
    server: { host: "127.0.0.1", port },
    storage: { url: `sqlite:${databaseFile}` },
    providers: kinds.map((kind) => ({
      id: providerName(kind),
      dialect: "openai-chat",
      base_url: `http://127.0.0.1:${upstream.port}${upstreamBase[kind]}`,
      api_key: "sk-bench-upstream",
    })),
    models: kinds.map((kind) => ({
      id: models[kind],
      targets: [{ provider: providerName(kind), model: "bench-upstream-1" }],
      prices: { input: 0.25, cache_read: 0.025, output: 2 },
    })),
  };
}

function providerName(kind: Answering): string {
  return kind === "json" ? "bench" : `bench-${kind}`;
}
