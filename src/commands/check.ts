import type { Command } from "commander";
import { configOption, type ConfigOptions } from "./options.ts";

const help = `
Prints "ok" and a summary, or all problems with file, line and path. Does not open the storage or call a provider.

Examples:
  tollgate check
  tollgate check --config prod.yaml`;

/** `tollgate check`: validates the configuration. */
export function addCheck(program: Command): void {
  program
    .command("check")
    .description("Check the configuration and print all problems")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => check(command.optsWithGlobals<ConfigOptions>()));
}

async function check(options: ConfigOptions): Promise<void> {
  const { loadConfig } = await import("../config/load.ts");
  const config = await loadConfig({ path: options.config, environment: process.env });
  const unpriced = config.models.filter((model) => model.prices === null).map((model) => model.id);
  // Only the scheme: the rest may contain a password.
  const storage = config.storage.url.startsWith("sqlite:") ? config.storage.url : "postgres";
  console.log("ok");
  console.log(`  file       ${config.source ?? "none (serves the sandbox models)"}`);
  console.log(`  address    http://${config.server.host}:${config.server.port}`);
  console.log(`  storage    ${storage}`);
  console.log(`  providers  ${summary(config.providers.map((provider) => provider.id))}`);
  console.log(`  models     ${summary(config.models.map((model) => model.id))}`);
  if (config.routes.length > 0) console.log(`  routes     ${summary(config.routes.map((route) => route.id))}`);
  if (config.auto) console.log("  auto       enabled");
  if (unpriced.length > 0) console.log(`  unpriced   ${summary(unpriced)}`);
}

/** The number of names, and the first of them. */
function summary(names: readonly string[]): string {
  const maxShown = 10;
  if (names.length === 0) return "none";
  const more = names.length > maxShown ? `, ... and ${names.length - maxShown} more` : "";
  return `${names.length}: ${names.slice(0, maxShown).join(", ")}${more}`;
}
