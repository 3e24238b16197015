import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import type { ProviderReport } from "../provider-check/check-providers.ts";
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
  readonly json?: boolean;
}

/** `tollgate check`: validates the configuration. */
export function addCheck(program: Command): void {
  program
    .command("check")
    .description("Check the configuration and print all problems")
    .option("--live", "also ask every provider for its list of models")
    .option("--spend", "with --live: also send one tiny request to every model, which costs a little")
    .option("--json", "print JSON")
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
  const { cautionsOf } = await import("../config/cautions.ts");
  const summary = { ...summaryOf(config), unpriced: await unpricedModels(config), cautions: cautionsOf(config) };
  if (options.json !== true) print(summary);
  const reports = options.live === true ? await askProviders(config, options.spend === true) : null;
  if (options.json === true) {
    console.log(JSON.stringify({ object: "check", ...summary, ...(reports && { live: reports }) }));
  } else if (reports) printReports(reports);
  const failing = (reports ?? []).filter(({ findings }) => findings.some(({ level }) => level === "problem"));
  if (failing.length === 0) return;
  throw new CommandFailure(`${failing.length} of ${reports?.length} providers cannot serve as configured (marked X)`);
}

interface Summary extends ReturnType<typeof summaryOf> {
  readonly unpriced: readonly string[];
  readonly cautions: readonly string[];
}

function summaryOf({ source, server, storage, providers, models, routes, auto }: Config) {
  return {
    file: source,
    address: `http://${server.host}:${server.port}`,
    // Only the scheme: the rest may contain a password.
    storage: storage.url.startsWith("sqlite:") ? storage.url : "postgres",
    providers: providers.map(({ id }) => id),
    models: models.map(({ id }) => id),
    routes: routes.map(({ id }) => id),
    auto,
  };
}

function print({ file, address, storage, providers, models, routes, auto, unpriced, cautions }: Summary): void {
  console.log("ok");
  console.log(`  file       ${file ?? "none (serves the sandbox models)"}`);
  console.log(`  address    ${address}`);
  console.log(`  storage    ${storage}`);
  console.log(`  providers  ${shortened(providers)}`);
  console.log(`  models     ${shortened(models)}`);
  if (routes.length > 0) console.log(`  routes     ${shortened(routes)}`);
  if (auto) console.log("  auto       enabled");
  if (unpriced.length > 0) console.log(`  unpriced   ${shortened(unpriced)}`);
  for (const caution of cautions) console.log(`  caution    ${caution}`);
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

async function askProviders(config: Config, spend: boolean): Promise<readonly ProviderReport[]> {
  const { checkProviders } = await import("../provider-check/check-providers.ts");
  return checkProviders(config, spend);
}

/** Prints what is found at each provider. */
function printReports(reports: readonly ProviderReport[]): void {
  if (reports.length === 0) console.log("\nThere is no provider to ask but the built-in sandbox.");
  for (const { provider, findings } of reports) {
    console.log(`\n${provider}`);
    for (const { level, text } of findings) console.log(`  ${marks[level].padEnd(2)} ${text}`);
  }
}

/** The number of names, and the first of them. */
function shortened(names: readonly string[]): string {
  const maxShown = 10;
  if (names.length === 0) return "none";
  const more = names.length > maxShown ? `, ... and ${names.length - maxShown} more` : "";
  return `${names.length}: ${names.slice(0, maxShown).join(", ")}${more}`;
}
