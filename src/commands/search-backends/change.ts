import type { Command } from "commander";
import type { JsonObject } from "../../json/values.ts";
import type { StoredBackend } from "../../routing/stored-backends/backend-store.ts";
import type { BackendTools } from "../../routing/stored-backends/change-backends.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { fieldsHelp, fieldsOf, type FieldOptions, withFieldOptions } from "./backend-fields.ts";

const idHelp = "its id, as `tollgate search-backends list` shows it";
const applied = "Running gateways apply this within a second.";

interface PlainOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate search-backends add`: creates a stored backend. */
export function addAddBackend(backends: Command): void {
  withFieldOptions(backends.command("add"))
    .description("Create a search backend in the storage")
    .argument("<id>", "letters, digits, dots, dashes and underscores")
    .addHelpText(
      "after",
      `${fieldsHelp}

Examples:
  tollgate search-backends add main --provider tavily --api-key - --search-price 0.008 < key.txt
  tollgate search-backends add own --provider searxng --base-url http://127.0.0.1:8080
  tollgate search-backends add main --file backend.json`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<FieldOptions>();
      const fields = await fieldsOf(options);
      await change(options, `The search backend ${id} is created. ${applied}`, async (tools) => {
        const { createBackend } = await import("../../routing/stored-backends/change-backends.ts");
        return createBackend(tools, { ...fields, id });
      });
    });
}

/** `tollgate search-backends change`: changes the given fields of a stored backend. */
export function addChangeBackend(backends: Command): void {
  withFieldOptions(backends.command("change"))
    .description("Change the given fields of a stored search backend")
    .argument("<id>", idHelp)
    .addHelpText(
      "after",
      `${fieldsHelp}
A backend keeps its key unless another one, or --no-api-key, is given. In a file null gives a field its default.

Examples:
  tollgate search-backends change main --priority 2 --search-price 0.01
  tollgate search-backends change main --api-key - < key.txt`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<FieldOptions>();
      const fields = await fieldsOf(options);
      if (Object.keys(fields).length === 0) throw new CommandFailure("nothing to change is given", exitCodes.usage);
      await change(options, `The search backend ${id} is changed. ${applied}`, changing(id, fields));
    });
}

/** `tollgate search-backends enable` and `disable`. */
export function addSwitches(backends: Command): void {
  for (const [name, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    backends
      .command(name)
      .description(enabled ? "Let a disabled search backend be asked again" : "Keep a search backend without asking it")
      .argument("<id>", idHelp)
      .option("--json", "print JSON")
      .addOption(configOption())
      .addHelpText("after", `\nExample:\n  tollgate search-backends ${name} main`)
      .action(async (id: string, _options: unknown, command: Command) => {
        const options = command.optsWithGlobals<PlainOptions>();
        await change(options, `The search backend ${id} is ${name}d. ${applied}`, changing(id, { enabled }));
      });
  }
}

/** `tollgate search-backends remove`: removes a stored backend. */
export function addRemoveBackend(backends: Command): void {
  backends
    .command("remove")
    .description("Remove a search backend from the storage")
    .argument("<id>", idHelp)
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  tollgate search-backends remove main")
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<PlainOptions>();
      const { backendTools } = await import("./backend-tools.ts");
      const { removeBackend } = await import("../../routing/stored-backends/change-backends.ts");
      await withStorage(options, (storage, config) => removeBackend(backendTools(storage, config), id));
      console.log(
        options.json === true
          ? JSON.stringify({ id, object: "search_backend", deleted: true })
          : `The search backend ${id} is removed. ${applied}`,
      );
    });
}

function changing(id: string, fields: JsonObject) {
  return async (tools: BackendTools): Promise<StoredBackend> => {
    const { changeBackend } = await import("../../routing/stored-backends/change-backends.ts");
    return changeBackend(tools, id, fields);
  };
}

/** Makes a change and prints what has become of it. */
async function change(
  options: PlainOptions,
  done: string,
  make: (tools: BackendTools) => Promise<StoredBackend>,
): Promise<void> {
  const { asUsageFailure, backendById, backendTools } = await import("./backend-tools.ts");
  const { backendView } = await import("../../routing/stored-backends/backend-view.ts");
  const view = await withStorage(options, async (storage, config) => {
    const tools = backendTools(storage, config);
    const { id } = await make(tools);
    return backendView(await backendById(tools, config, id));
  }).catch(asUsageFailure);
  console.log(options.json === true ? JSON.stringify(view) : done);
  if (view.problem !== null) console.error(`tollgate: note: ${view.problem}`);
}
