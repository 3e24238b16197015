import type { Command } from "commander";
import type { KeyStore } from "../../access/key.ts";
import { systemClock } from "../../clock.ts";
import { cautionsOf } from "../../config/cautions.ts";
import type { Config } from "../../config/config.ts";
import type { Gateway } from "../../gateway.ts";
import type { Log } from "../../log.ts";
import { version } from "../../version.ts";
import { CommandFailure } from "../exit-codes.ts";
import { firstSteps } from "./first-steps.ts";
import { reachable } from "./reachable.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { awaitStopSignal, listenFailure } from "./server-process.ts";

/** Time that a stop may take beyond the drain time before the process exits anyway. */
const stopGraceMs = 10_000;

const help = `
Without a configuration file, the gateway serves the sandbox models. The first start creates an API key and prints the
next steps. SIGTERM or SIGINT stops the gateway: running requests have server.drain_ms to finish; a second signal stops
it immediately (exit code 143 or 130).

Examples:
  tollgate start
  tollgate start --config prod.yaml`;

/** `tollgate start`: runs the gateway until a signal stops it. */
export function addStart(program: Command): void {
  program
    .command("start")
    .description("Start the gateway")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => start(command.optsWithGlobals<ConfigOptions>()));
}

async function start(options: ConfigOptions): Promise<void> {
  // Registered first, so that a signal during the start is not lost.
  const signal = awaitStopSignal();
  const { loadConfig } = await import("../../config/load.ts");
  const config = await loadConfig({ path: options.config, environment: process.env });
  const { createLog } = await import("../../log.ts");
  const log = createLog(config.log);

  const gateway = await openGateway(config, log);
  log.info({ url: gateway.url, version, config: config.source, models: config.models.length }, "listening");
  for (const caution of cautionsOf(config)) log.warn({}, caution);
  const steps = firstSteps({ url: gateway.url, config, firstKey: await firstKey(gateway, log) });
  // Later starts print nothing but the log, unless somebody is there to read it.
  const link = steps !== null || process.stdout.isTTY ? await setUpLink(gateway, config, log) : null;
  await log.flush();
  if (steps !== null) console.log(steps);
  if (link !== null) console.log(`Open the console, for one hour: ${link}${steps === null ? "" : "\n"}`);

  log.info({ signal: await signal, drain_ms: config.server.drainMs }, "stopping");
  await stopInTime(gateway.stop(), config.server.drainMs + stopGraceMs);
  log.info({}, "stopped");
  await log.flush();
}

/** Creates the first key if there is none. A failure is only logged, because the gateway is already running. */
async function firstKey(gateway: Gateway, log: Log): Promise<string | null> {
  try {
    return await createFirstKey(gateway.keys);
  } catch (error) {
    log.warn({ error: String(error) }, "The first API key could not be created.");
    return null;
  }
}

/** A link that makes the first user of the console; null if there is one, or no console. A failure is only logged. */
async function setUpLink(gateway: Gateway, config: Config, log: Log): Promise<string | null> {
  if (!config.console.enabled) return null;
  try {
    // Its paths are loaded when a link is needed, which is once in the life of a storage.
    if (await gateway.users.hasUsers()) return null;
    const { issueSetUpLink, linkUrl } = await import("../../console/links.ts");
    const token = await issueSetUpLink(gateway.users, systemClock.now());
    return token && linkUrl(config.console.publicUrl ?? reachable(gateway.url), token);
  } catch (error) {
    log.warn({ error: String(error) }, "The link to set up the console could not be created.");
    return null;
  }
}

/** Creates the first key of a storage, without limits; null if there is a key already. */
async function createFirstKey(keys: KeyStore): Promise<string | null> {
  if ((await keys.list()).length > 0) return null;
  const { createKey } = await import("../../access/manage.ts");
  const settings = {
    name: "first",
    scopes: { models: null, endpoints: null },
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    expiresAt: null,
    admin: false,
  };
  return (await createKey(keys, settings, systemClock, { kind: "gateway" })).key;
}

async function openGateway(config: Config, log: Log) {
  const { startGateway } = await import("../../gateway.ts");
  try {
    return await startGateway(config, { log });
  } catch (error) {
    await log.flush();
    const reason = listenFailure(error, config.server.host, config.server.port);
    throw reason === null ? error : new CommandFailure(reason);
  }
}

/** Waits for the stop, and fails if it takes too long. */
async function stopInTime(stop: Promise<void>, maxMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new CommandFailure(`stopping took more than ${maxMs} ms`)), maxMs);
  });
  try {
    await Promise.race([stop, late]);
  } finally {
    clearTimeout(timer);
  }
}
