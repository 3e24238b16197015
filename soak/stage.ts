import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Subprocess } from "bun";
import { waitForPort } from "../bench/ports.ts";
import { freePort } from "../scripts/free-port.ts";
import { run, scratchFolder, startServer } from "../bench/processes.ts";
import { keyNames, type KeyName, scopedModels } from "./callers.ts";
import type { Options } from "./options.ts";
import { restoreAll } from "./upstream-behaviour.ts";
import { configuration, goodApiKeys, limits } from "./world.ts";

/** A gateway and its upstreams, each a process, ready to be called. */
export interface Stage {
  readonly gateway: Subprocess;
  readonly gatewayUrl: string;
  readonly upstreamUrl: string;
  readonly upstreamPort: number;
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly adminKey: string;
  /** The public ids of the keys by their names. */
  readonly keyIds: Readonly<Record<string, string>>;
  readonly databaseFile: string;
  readonly logFile: string;
}

/** Starts everything, as an operator would. */
export async function setStage({ launcher, folder: kept }: Options): Promise<Stage> {
  const folder = resolve(kept ?? scratchFolder("tollgate-soak-"));
  mkdirSync(folder, { recursive: true });
  const [port, upstreamPort, deadPort] = [freePort(), freePort(), freePort()];
  const databaseFile = join(folder, "tollgate.db");
  const configurationFile = join(folder, "tollgate.yaml");
  const addresses = { port, upstreamPort, deadPort, databaseFile, journalFolder: join(folder, "journal") };
  // JSON is YAML too.
  writeFileSync(configurationFile, JSON.stringify(configuration(addresses), null, 2));

  const program = [process.execPath, join(import.meta.dir, "sandbox-process.ts"), String(upstreamPort), ...goodApiKeys];
  const upstream = startServer(program, join(folder, "sandbox.log"));
  await waitForPort(upstreamPort, () => (upstream.exitCode === null ? null : "the sandbox did not start"));
  const upstreamUrl = `http://127.0.0.1:${upstreamPort}`;
  await restoreAll(upstreamUrl);

  const newKey = async (name: string, options: readonly string[]) => {
    const command = [launcher, "keys", "create", "--name", name, "--json", "--config", configurationFile, ...options];
    return JSON.parse(await run(command)) as { readonly id: string; readonly key: string };
  };
  const made: [KeyName, { readonly id: string; readonly key: string }][] = [];
  for (const name of keyNames) made.push([name, await newKey(name, keyOptions[name])]);
  const admin = await newKey("admin", ["--admin"]);

  const logFile = join(folder, "tollgate.log");
  const command = [launcher, "start", "--config", configurationFile];
  const gateway = startServer(command, logFile, { NODE_ENV: "production" });
  await waitForPort(port, () => (gateway.exitCode === null ? null : `the gateway did not start: see ${logFile}`));
  return {
    gateway,
    gatewayUrl: `http://127.0.0.1:${port}`,
    upstreamUrl,
    upstreamPort,
    // `fromEntries` forgets which names it was given.
    keys: Object.fromEntries(made.map(([name, { key }]) => [name, key])) as Record<KeyName, string>,
    adminKey: admin.key,
    keyIds: Object.fromEntries(made.map(([name, { id }]) => [name, id])),
    databaseFile,
    logFile,
  };
}

const keyOptions: Readonly<Record<KeyName, readonly string[]>> = {
  plain: [],
  limited: ["--rpm", String(limits.requestsPerMinute), "--concurrency", String(limits.concurrent)],
  flooding: [],
  scoped: ["--models", scopedModels.join(",")],
  leaving: [],
};
