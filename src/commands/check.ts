import type { Command } from "commander";
import { configOption, type ConfigOptions } from "./options.ts";

const help = `
Prints "ok" and a summary, or every error with its file, line and path. Opens no storage and calls no provider.

Examples:
  tollgate check
  tollgate check --config prod.yaml`;

/** `tollgate check`: whether the configuration can be used. */
export function addCheck(program: Command): void {
  program
    .command("check")
    .description("Check the configuration and say all that is wrong with it")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => check(command.optsWithGlobals<ConfigOptions>()));
}

async function check(options: ConfigOptions): Promise<void> {
  const { loadConfig } = await import("../config/load.ts");
  const config = await loadConfig({ path: options.config, environment: process.env });
  const unpriced = config.models.filter((model) => model.prices === null).map((model) => model.id);
  // The scheme only: the rest may hold a password.
  const storage = config.storage.url.startsWith("sqlite:") ? config.storage.url : "postgres";
  console.log("ok");
  console.log(`  file       ${config.source ?? "none (the sandbox models are served)"}`);
  console.log(`  address    http://${config.server.host}:${config.server.port}`);
  console.log(`  storage    ${storage}`);
  console.log(`  providers  ${summary(config.providers.map((provider) => provider.id))}`);
  console.log(`  models     ${summary(config.models.map((model) => model.id))}`);
  if (config.routes.length > 0) console.log(`  routes     ${summary(config.routes.map((route) => route.id))}`);
  if (config.auto) console.log("  auto       on");
  if (unpriced.length > 0) console.log(`  unpriced   ${summary(unpriced)}`);
}

/** How many there are, and the first of their names. */
function summary(names: readonly string[]): string {
  const most = 10;
  if (names.length === 0) return "none";
  const more = names.length > most ? `, ... and ${names.length - most} more` : "";
  return `${names.length}: ${names.slice(0, most).join(", ")}${more}`;
}
