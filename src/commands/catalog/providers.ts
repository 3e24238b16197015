import type { Command } from "commander";
import type { JsonObject } from "../../json/values.ts";
import type { ProviderEntry } from "../../routing/stored-catalog/stored-catalog.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { formatTable } from "../format.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { readInput } from "../read-json-file.ts";
import { withStorage } from "../with-storage.ts";
import { addRemoveEntry, fieldsInFile, type ListOptions, printNew } from "./entry-commands.ts";

const help = `
A provider is a vendor account that models are served by. These commands change those in the storage; running gateways apply
changes within a second. Change those of the configuration file there. Keys are sealed with TOLLGATE_SECRET_KEY, or with the
key in the file that the first start makes beside the database.

Examples:
  tollgate providers list
  tollgate providers add openai --dialect openai-chat --base-url https://api.openai.com/v1 --api-key - < key.txt
  tollgate providers add local --file provider.json
  tollgate providers remove local`;

interface AddOptions extends ConfigOptions {
  readonly dialect?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly file?: string;
  readonly json?: boolean;
}

/** `tollgate providers ...`: manages stored providers. */
export function addProviders(program: Command): void {
  const providers = program
    .command("providers")
    .description("List, add and remove providers")
    .addHelpText("after", help);
  providers
    .command("list")
    .description("List the providers of the configuration and of the storage")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (_options: unknown, command: Command) => list(command.optsWithGlobals<ListOptions>()));
  providers
    .command("add")
    .description("Create a provider in the storage")
    .argument("<id>", "letters, digits, dots, dashes and underscores")
    .option("--dialect <name>", "the dialect that it speaks, such as openai-chat")
    .option("--base-url <url>", "its address, if not the vendor's own")
    .option("--api-key <key>", "its key (- for standard input); sealed in the storage")
    .option("--file <file>", "the fields of a provider in the configuration as JSON (- for standard input)")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText(
      "after",
      "\nA key on the command line can be seen by other users of the machine: --api-key - reads it from standard input.",
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      await add(id, command.optsWithGlobals<AddOptions>());
    });
  addRemoveEntry(providers, "provider");
}

async function add(id: string, options: AddOptions): Promise<void> {
  if (options.file === "-" && options.apiKey === "-") {
    throw new CommandFailure("standard input can be either --file or --api-key", exitCodes.usage);
  }
  const apiKey = options.apiKey === "-" ? (await readInput("-")).trim() : options.apiKey;
  const given: JsonObject = { dialect: options.dialect, base_url: options.baseUrl, api_key: apiKey };
  const fields = { ...(await fieldsInFile(options.file)), ...withoutUndefined(given), id };
  await printNew("provider", fields, options);
}

function withoutUndefined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
}

async function list(options: ListOptions): Promise<void> {
  const { catalogTools, listedCatalog } = await import("./catalog-tools.ts");
  const { providerView } = await import("../../routing/stored-catalog/provider-view.ts");
  const { providers } = await withStorage(options, (storage, config) => {
    return listedCatalog(catalogTools(storage, config), config);
  });
  if (options.json === true) {
    return console.log(JSON.stringify({ object: "list", data: providers.map(providerView) }));
  }
  if (providers.length === 0) {
    return console.log("There are no providers. Create one: tollgate providers add ID --dialect NAME");
  }
  console.log(formatTable([["ID", "DIALECTS", "BASE URL", "KEY", "SOURCE"], ...providers.map(rowOf)]));
  for (const { id, problem } of providers) {
    if (problem !== null) console.error(`tollgate: note: the provider ${id} cannot be used: ${problem}`);
  }

  function rowOf(entry: ProviderEntry): string[] {
    const { id, has_api_key: hasKey, api_key_hint: hint, source, line } = providerView(entry);
    const { dialects = [], baseUrl = "" } = entry.provider ?? {};
    const place = line === null ? source : `${source}, line ${line}`;
    return [id, dialects.join(", "), baseUrl, hint ?? (hasKey ? "yes" : ""), place];
  }
}
