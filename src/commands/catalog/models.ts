import type { Command } from "commander";
import type { ModelEntry } from "../../routing/stored-catalog/stored-catalog.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { formatTable } from "../format.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { addRemoveEntry, fieldsInFile, type ListOptions, printNew } from "./entry-commands.ts";

const help = `
A model is a name that callers use, and the targets that serve it. These commands change those in the storage; running gateways
apply changes within a second. Change those of the configuration file there.

Examples:
  tollgate models list
  tollgate models add gpt-5-mini --target openai/gpt-5-mini
  tollgate models add local --file model.json
  tollgate models remove local`;

interface AddOptions extends ConfigOptions {
  readonly target?: readonly string[];
  readonly file?: string;
  readonly json?: boolean;
}

/** `tollgate models ...`: manages stored models. */
export function addModels(program: Command): void {
  const models = program.command("models").description("List, add and remove models").addHelpText("after", help);
  models
    .command("list")
    .description("List the models of the configuration and of the storage")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (_options: unknown, command: Command) => list(command.optsWithGlobals<ListOptions>()));
  models
    .command("add")
    .description("Create a model in the storage")
    .argument("<id>", "the name that callers use")
    .option("--target <names...>", "provider/model, in the order in which they are asked")
    .option("--file <file>", "the fields of a model in the configuration as JSON (- for standard input)")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const targets = options.target?.map(targetOf);
      const fields = { ...(await fieldsInFile(options.file)), ...(targets && { targets }), id };
      await printNew("model", fields, options);
    });
  addRemoveEntry(models, "model");
}

/** The provider's own name of a model may have slashes, the id of a provider has none. */
function targetOf(text: string): { readonly provider: string; readonly model: string } {
  const slash = text.indexOf("/");
  if (slash <= 0) throw new CommandFailure(`a target is provider/model, not '${text.slice(0, 100)}'`, exitCodes.usage);
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

async function list(options: ListOptions): Promise<void> {
  const { catalogTools, listedCatalog } = await import("./catalog-tools.ts");
  const { modelView } = await import("../../routing/stored-catalog/model-view.ts");
  const { models } = await withStorage(options, (storage, config) => {
    return listedCatalog(catalogTools(storage, config), config);
  });
  if (options.json === true) {
    return console.log(JSON.stringify({ object: "list", data: models.map(modelView) }));
  }
  if (models.length === 0) {
    return console.log("There are no models. Create one: tollgate models add ID --target PROVIDER/MODEL");
  }
  console.log(formatTable([["ID", "TARGETS", "SOURCE"], ...models.map(rowOf)]));
  for (const { id, problem } of models) {
    if (problem !== null) console.error(`tollgate: note: the model ${id} is not in force: ${problem}`);
  }
}

function rowOf({ id, stored, line, config }: ModelEntry): string[] {
  const targets = (config?.targets ?? []).map(({ provider, model }) => `${provider}/${model}`);
  const source = stored === null ? "config" : "storage";
  return [id, targets.join(", "), line === null ? source : `${source}, line ${line}`];
}
