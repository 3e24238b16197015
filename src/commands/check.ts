import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { CommandFailure, exitCodes } from "./exit-codes.ts";
import { configOption, type ConfigOptions } from "./options.ts";

const help = `
Prints "ok" and a summary, or all problems with file, line and path. Does not open the storage, and calls providers only
with --live: it asks each of them for its list of models, with every key, and says what to change if that fails. With
--spend it also sends one tiny request to each configured model, which the provider charges.

Examples:
  tollgate check
  tollgate check --config prod.yaml
  tollgate check --live --spend`;

interface CheckOptions extends ConfigOptions {
  readonly live?: boolean;
  readonly spend?: boolean;
}

/** `tollgate check`: validates the configuration. */
export function addCheck(program: Command): void {
  program
    .command("check")
    .description("Check the configuration and print all problems")
    .option("--live", "also ask every provider for its list of models")
    .option("--spend", "with --live: also send one tiny request to every model, which costs a little")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => check(command.optsWithGlobals<CheckOptions>()));
}

async function check(options: CheckOptions): Promise<void> {
  if (options.spend === true && options.live !== true) {
    throw new CommandFailure("--spend needs --live: tollgate check --live --spend", exitCodes.usage);
  }
  const { loadConfig } = await import("../config/load.ts");
  const config = await loadConfig({ path: options.config, environment: process.env });
  const unpriced = await unpricedModels(config);
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
  const { cautionsOf } = await import("../config/cautions.ts");
  for (const caution of cautionsOf(config)) console.log(`  caution    ${caution}`);
  if (options.live === true) await checkLive(config, options.spend === true);
}

/** Models with a target that has neither a configured nor a bundled price. What was imported is in the storage. */
async function unpricedModels({ models, providers, prices }: Config): Promise<string[]> {
  const { configuredBook } = await import("./prices/configured-book.ts");
  const book = await configuredBook(models, prices.bundled);
  const { pricedTargets } = await import("./prices/priced-targets.ts");
  // The bundled table knows models by name: a pattern serves names that are not known yet.
  return models
    .filter(({ id }) => !prices.bundled || !id.endsWith("/*"))
    .filter((model) =>
      pricedTargets(model, providers).some((target) => book.find(target.model, target.target) === null),
    )
    .map(({ id }) => id);
}

const marks = { ok: "ok", caution: "!", problem: "X" } as const;

/** Prints what is found at each provider. Throws if something has to be changed. */
async function checkLive(config: Config, spend: boolean): Promise<void> {
  const { checkProviders } = await import("../provider-check/check-providers.ts");
  const reports = await checkProviders(config, spend);
  if (reports.length === 0) console.log("\nThere is no provider to ask but the built-in sandbox.");
  for (const { provider, findings } of reports) {
    console.log(`\n${provider}`);
    for (const { level, text } of findings) console.log(`  ${marks[level].padEnd(2)} ${text}`);
  }
  const failing = reports.filter(({ findings }) => findings.some(({ level }) => level === "problem"));
  if (failing.length === 0) return;
  throw new CommandFailure(`${failing.length} of ${reports.length} providers cannot serve as configured (marked X)`);
}

/** The number of names, and the first of them. */
function summary(names: readonly string[]): string {
  const maxShown = 10;
  if (names.length === 0) return "none";
  const more = names.length > maxShown ? `, ... and ${names.length - maxShown} more` : "";
  return `${names.length}: ${names.slice(0, maxShown).join(", ")}${more}`;
}
