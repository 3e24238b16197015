import { Command, CommanderError } from "commander";
import { version } from "../version.ts";
import { addCheck } from "./check.ts";
import { CommandFailure, exitCodes, exitCodesHelp } from "./exit-codes.ts";
import { addKeys } from "./keys.ts";
import { configOption } from "./options.ts";
import { addPrices } from "./prices.ts";
import { addRoutes } from "./routes.ts";
import { addSandbox } from "./sandbox.ts";
import { addStart } from "./start.ts";

const description = `Tollgate ${version}: a self-hosted gateway in front of model providers.
One key, one base URL; every request is authenticated, routed, metered, charged exactly once and recorded.`;

const help = `
Examples:
  tollgate start                        Start with ./tollgate.yaml, or with the sandbox models where there is none
  tollgate check --config prod.yaml     See all that is wrong with a configuration
  tollgate keys create --name alice     Make an API key
  tollgate prices show                  Show the prices in force
  tollgate routes set fast --alias b    Let the name "fast" lead to the model b in running gateways

Configuration is read from --config, else from the file that TOLLGATE_CONFIG names, else from ./tollgate.yaml.
TOLLGATE_STORAGE_URL overrides its storage.url.
${exitCodesHelp}`;

/** Runs one command line (without the program's own name) and answers the exit code. Errors are told on stderr. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const program = new Command("tollgate")
    .description(description)
    .version(version)
    .exitOverride()
    .configureHelp({ helpWidth: 110 })
    .showHelpAfterError("(add --help for what can be said here)")
    .addOption(configOption())
    .addHelpText("after", help);
  addStart(program);
  addCheck(program);
  addKeys(program);
  addPrices(program);
  addRoutes(program);
  addSandbox(program);
  try {
    await program.parseAsync(words, { from: "user" });
    return exitCodes.ok;
  } catch (error) {
    return tell(error);
  }
}

/** Tells what went wrong, without a stack for what is a user's to mend. Answers the exit code. */
function tell(error: unknown): number {
  // Commander has told already. It ends so after --help and --version too, which went well.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const message = error instanceof Error ? error.message : String(error);
  console.error(`tollgate: ${message}`);
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof Error && error.name === "ConfigError") return exitCodes.usage;
  if (error instanceof Error && process.env["TOLLGATE_DEBUG"]) console.error(error.stack);
  return exitCodes.failure;
}
