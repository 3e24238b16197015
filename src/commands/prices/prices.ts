import { type Command, InvalidArgumentError, Option } from "commander";
import { priceFormats } from "../../billing/prices/import/price-formats.ts";
import { configOption, type ConfigOptions, positiveNumber } from "../options.ts";
import type { ChangeOptions } from "./change.ts";
import type { ImportOptions } from "./import.ts";
import type { VersionOptions } from "./show.ts";

const help = `
Prices come from the configuration, from an imported price map, and from the bundled table, in this order. Every change is a
new version; running gateways charge by it within a second, and every record names the version it was charged by.

Examples:
  tollgate prices show
  tollgate prices show gpt-5-mini --json
  tollgate prices import model_prices.json --format litellm --note "prices of November"
  tollgate prices diff 3 4
  tollgate prices rollback --note "the import was wrong"`;

interface JsonOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate prices`: shows and changes the price list. */
export function addPrices(program: Command): void {
  const prices = program.command("prices").description("Show, import and change the prices in force");
  prices.addHelpText("after", help);

  add(prices, "list", "List the versions of the price list").action(async (_options: unknown, command: Command) => {
    const { listVersions } = await import("./list.ts");
    await listVersions(command.optsWithGlobals<JsonOptions>());
  });

  add(prices, "show", "Show the prices of the configured models, or of one model")
    .argument("[model]", "the name of the model")
    .addOption(versionOption())
    .action(async (model: string | undefined, _options: unknown, command: Command) => {
      const { showPrices } = await import("./show.ts");
      await showPrices(model ?? null, command.optsWithGlobals<VersionOptions>());
    });

  add(prices, "diff", "Show what differs between two versions")
    .argument("<a>", "a version", positiveNumber)
    .argument("<b>", "another version", positiveNumber)
    .action(async (a: number, b: number, _options: unknown, command: Command) => {
      const { diffVersions } = await import("./diff.ts");
      await diffVersions(a, b, command.optsWithGlobals<JsonOptions>());
    });

  addChange(prices, "import", "Import a price file in place of the one imported before")
    .argument("<file>", "a JSON file")
    .addOption(new Option("--format <format>", "format of the file").choices(priceFormats).makeOptionMandatory())
    .option("--skip-invalid", "leave out models whose prices are missing or invalid, rather than import nothing")
    .action(async (file: string, _options: unknown, command: Command) => {
      const { importFile } = await import("./import.ts");
      await importFile(file, command.optsWithGlobals<ImportOptions>());
    });

  addChange(prices, "activate", "Put an earlier version in force again")
    .argument("<version>", "a version", positiveNumber)
    .action(async (version: number, _options: unknown, command: Command) => {
      const { activate } = await import("./change.ts");
      await activate(version, command.optsWithGlobals<ChangeOptions>());
    });

  addChange(prices, "rollback", "Put the version before the one in force in force again").action(
    async (_options: unknown, command: Command) => {
      const { rollback } = await import("./change.ts");
      await rollback(command.optsWithGlobals<ChangeOptions>());
    },
  );

  add(prices, "export", "Print the configured and imported prices of a version as YAML for a configuration")
    .addOption(versionOption())
    .action(async (_options: unknown, command: Command) => {
      const { exportPrices } = await import("./export.ts");
      await exportPrices(command.optsWithGlobals<VersionOptions>());
    });
}

function add(prices: Command, name: string, description: string): Command {
  return prices.command(name).description(description).option("--json", "print JSON").addOption(configOption());
}

/** A command that makes a change has an author and a note. */
function addChange(prices: Command, name: string, description: string): Command {
  return add(prices, name, description)
    .option("--note <text>", "why the prices change", shortText)
    .option("--author <name>", "who changes them (default: the user of this system)", shortText);
}

function versionOption(): Option {
  return new Option("--at <version>", "a version rather than the one in force").argParser(positiveNumber);
}

const maxText = 500;

function shortText(text: string): string {
  if (text.length === 0 || text.length > maxText || /\p{C}/u.test(text)) {
    throw new InvalidArgumentError(`Allowed: a text of 1 to ${maxText} characters without control characters.`);
  }
  return text;
}
