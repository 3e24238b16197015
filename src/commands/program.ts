import { Command, CommanderError } from "commander";
import { version } from "../version.ts";
import { addAccounts } from "./accounts/accounts.ts";
import { addBudgets } from "./budgets/budgets.ts";
import { addAudit } from "./audit.ts";
import { addChanges } from "./changes.ts";
import { addModels } from "./catalog/models.ts";
import { addProviders } from "./catalog/providers.ts";
import { addConsole } from "./console.ts";
import { addEvents } from "./events.ts";
import { addCheck } from "./check.ts";
import { cutMessage } from "./cut-message.ts";
import { CommandFailure, exitCodes, exitCodesHelp } from "./exit-codes.ts";
import { addKeys } from "./keys/keys.ts";
import { configOption } from "./options.ts";
import { addPrices } from "./prices/prices.ts";
import { addReconcile } from "./reconcile.ts";
import { addRoutes } from "./routes/routes.ts";
import { addSandbox } from "./sandbox.ts";
import { addSearchBackends } from "./search-backends/search-backends.ts";
import { addStart } from "./start/start.ts";
import { addUsage } from "./usage.ts";

const description = `Tollgate ${version}: a self-hosted gateway in front of model providers.
One key, one base URL; every request is authenticated, routed, metered, charged exactly once and recorded.`;

const help = `
Examples:
  tollgate start                        Start with ./tollgate.yaml, or with the sandbox models if there is none
  tollgate check --config prod.yaml     Print all problems of a configuration
  tollgate keys create --name alice     Create an API key
  tollgate accounts show default        Show the balance of an account
  tollgate prices show                  Show the prices in force
  tollgate usage --by month,model       Show what was used and what it cost
  tollgate routes set fast --alias b    Make "fast" an alias of the model b in running gateways

The configuration is read from --config, the file named by TOLLGATE_CONFIG, or ./tollgate.yaml, in this order.
TOLLGATE_STORAGE_URL overrides its storage.url.
${exitCodesHelp}`;

/** The program with all its commands. */
export function createProgram(): Command {
  const program = new Command("tollgate")
    .description(description)
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(cutMessage(text)) })
    .configureHelp({ helpWidth: 110 })
    .showHelpAfterError("(add --help for usage)")
    .addOption(configOption())
    .addHelpText("after", help);
  addStart(program);
  addCheck(program);
  addKeys(program);
  addAccounts(program);
  addBudgets(program);
  addPrices(program);
  addRoutes(program);
  addSearchBackends(program);
  addProviders(program);
  addModels(program);
  addAudit(program);
  addReconcile(program);
  addChanges(program);
  addConsole(program);
  addEvents(program);
  addUsage(program);
  addSandbox(program);
  return program;
}

/** Runs a command line, given without the program's name. Prints errors to stderr and returns the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    await program.parseAsync(words, { from: "user" });
    return exitCodes.ok;
  } catch (error) {
    return report(error);
  }
}

/** Prints an error, without a stack unless TOLLGATE_DEBUG is set. Returns the exit code. */
function report(error: unknown): number {
  // Commander has printed it already. It also throws after --help and --version, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const message = error instanceof Error ? error.message : String(error);
  console.error(`tollgate: ${error instanceof Error && error.name === "ConfigError" ? message : cutMessage(message)}`);
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof Error && error.name === "ConfigError") return exitCodes.usage;
  if (error instanceof Error && process.env["TOLLGATE_DEBUG"]) console.error(error.stack);
  return exitCodes.failure;
}
