import type { Command } from "commander";
import { isObject, type JsonObject } from "../../json/values.ts";
import type { StoredKind } from "../../routing/stored-catalog/catalog-store.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { readJsonFile } from "../read-json-file.ts";
import { withStorage } from "../with-storage.ts";

export interface ListOptions extends ConfigOptions {
  readonly json?: boolean;
}

const applied = "Running gateways apply this within a second.";
const objects = { provider: "provider", model: "model_definition" } as const;

/** The fields in a file of JSON; none without a file. */
export async function fieldsInFile(path: string | undefined): Promise<JsonObject> {
  const fields = path === undefined ? {} : await readJsonFile(path);
  if (isObject(fields)) return fields;
  throw new CommandFailure("the file must hold one JSON object", exitCodes.usage);
}

/** Creates a provider or a model, and prints what has become of it. */
export async function printNew(kind: StoredKind, fields: JsonObject, options: ListOptions): Promise<void> {
  const { asUsageFailure, catalogTools, listedCatalog } = await import("./catalog-tools.ts");
  const { createEntry } = await import("../../routing/stored-catalog/change-catalog.ts");
  const { providerView } = await import("../../routing/stored-catalog/provider-view.ts");
  const { modelView } = await import("../../routing/stored-catalog/model-view.ts");
  const view = await withStorage(options, async (storage, config) => {
    const tools = catalogTools(storage, config);
    const { id } = await createEntry(tools, kind, fields);
    const { providers, models } = await listedCatalog(tools, config);
    const made =
      kind === "provider"
        ? providers.filter((entry) => entry.stored?.id === id).map(providerView)
        : models.filter((entry) => entry.stored?.id === id).map(modelView);
    return made[0] ?? { id, problem: "it has been removed since" };
  }).catch(asUsageFailure);
  console.log(options.json === true ? JSON.stringify(view) : `The ${kind} ${view.id} is created. ${applied}`);
  if (view.problem !== null) console.error(`tollgate: note: ${view.problem}`);
}

/** `tollgate providers remove` and `tollgate models remove`. */
export function addRemoveEntry(entries: Command, kind: StoredKind): void {
  entries
    .command("remove")
    .description(`Remove a ${kind} from the storage`)
    .argument("<id>", `its id, as \`tollgate ${kind}s list\` shows it`)
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const { catalogTools } = await import("./catalog-tools.ts");
      const { removeEntry } = await import("../../routing/stored-catalog/change-catalog.ts");
      await withStorage(options, (storage, config) => removeEntry(catalogTools(storage, config), kind, id));
      const json = JSON.stringify({ id, object: objects[kind], deleted: true });
      console.log(options.json === true ? json : `The ${kind} ${id} is removed. ${applied}`);
    });
}
