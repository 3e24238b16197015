import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import type { Gateway } from "../gateway.ts";
import type { Log } from "../log.ts";
import { version } from "../version.ts";
import { CommandFailure } from "./exit-codes.ts";
import { firstSteps } from "./first-steps.ts";
import { listenFailure } from "./listen-failure.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { awaitStopSignal } from "./stop-signal.ts";

/** How much longer than its drain bound a stop may take before the process ends anyway. */
const stopGraceMs = 10_000;

const help = `
Without a configuration file the sandbox models are served. At a first start an API key is made and the next steps
are printed. SIGTERM or SIGINT stops it: running requests may finish, up to server.drain_ms; a second signal stops it
at once (exit code 143 or 130).

Examples:
  tollgate start
  tollgate start --config prod.yaml`;

/** `tollgate start`: the gateway, until a signal stops it. */
export function addStart(program: Command): void {
  program
    .command("start")
    .description("Start the gateway")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => start(command.optsWithGlobals<ConfigOptions>()));
}

async function start(options: ConfigOptions): Promise<void> {
  // Asked for first, so that a signal during the start is not lost.
  const signal = awaitStopSignal();
  const { loadConfig } = await import("../config/load.ts");
  const config = await loadConfig({ path: options.config, environment: process.env });
  const { createLog } = await import("../log.ts");
  const log = createLog(config.log);

  const gateway = await openGateway(config, log);
  log.info({ url: gateway.url, version, config: config.source, models: config.models.length }, "listening");
  const steps = firstSteps({ url: gateway.url, config, firstKey: await firstKey(gateway, log) });
  await log.flush();
  if (steps !== null) console.log(steps);

  log.info({ signal: await signal, drain_ms: config.server.drainMs }, "stopping");
  await stopInTime(gateway.stop(), config.server.drainMs + stopGraceMs);
  log.info({}, "stopped");
  await log.flush();
}

/** The first key, where there was none. A gateway that serves already does not end because this cannot be told. */
async function firstKey(gateway: Gateway, log: Log): Promise<string | null> {
  const { makeFirstKey } = await import("./first-key.ts");
  try {
    return await makeFirstKey(gateway.keys);
  } catch (error) {
    log.warn({ error: String(error) }, "the storage did not tell whether there is a key yet");
    return null;
  }
}

async function openGateway(config: Config, log: Log) {
  const { startGateway } = await import("../gateway.ts");
  try {
    return await startGateway(config, { log });
  } catch (error) {
    await log.flush();
    const reason = listenFailure(error, config.server.host, config.server.port);
    throw reason === null ? error : new CommandFailure(reason);
  }
}

/** Waits for a stop. One that hangs ends as a failure rather than never. */
async function stopInTime(stop: Promise<void>, mostMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new CommandFailure(`the stop took more than ${mostMs} ms`)), mostMs);
  });
  try {
    await Promise.race([stop, late]);
  } finally {
    clearTimeout(timer);
  }
}
