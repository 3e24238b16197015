import type { Command } from "commander";
import type { ShownBackend } from "../../routing/stored-backends/backend-view.ts";
import { formatTable } from "../format.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";

interface ListOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate search-backends list`: lists the search backends of the configuration and of the storage. */
export function addListBackends(backends: Command): void {
  backends
    .command("list")
    .description("List the search backends of the configuration and of the storage")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExamples:\n  tollgate search-backends list\n  tollgate search-backends list --json")
    .action(async (_options: unknown, command: Command) => list(command.optsWithGlobals<ListOptions>()));
}

async function list(options: ListOptions): Promise<void> {
  const { backendTools, listedBackends } = await import("./backend-tools.ts");
  const { backendFields, backendView } = await import("../../routing/stored-backends/backend-view.ts");
  const backends = await withStorage(options, (storage, config) => {
    return listedBackends(backendTools(storage, config), config);
  });
  if (options.json === true) {
    return console.log(JSON.stringify({ object: "list", data: backends.map(backendView) }));
  }
  if (backends.length === 0) {
    return console.log("There are no search backends. Create one: tollgate search-backends add ID --provider NAME");
  }
  const header = ["ID", "NAME", "PROVIDER", "ENABLED", "PRIORITY", "USD PER UNIT", "KEY", "SOURCE"];
  console.log(formatTable([header, ...backends.map(rowOf)], [4, 5]));
  for (const { id, problem } of backends) {
    if (problem !== null) console.error(`tollgate: note: the search backend ${id} cannot be used: ${problem}`);
  }

  function rowOf(shown: ShownBackend): string[] {
    const { id, api_key_hint: hint, has_api_key: hasKey, source } = backendView(shown);
    const key = hint ?? (hasKey ? "yes" : "");
    if (shown.backend === null) return [id, "", "", "", "", "", key, source];
    const { name, provider, enabled, priority, search_price: price, cost } = backendFields(shown.backend);
    const cells = [id, name, provider, enabled ? "yes" : "no", String(priority)];
    return [...cells, cost === "provider" ? "as reported" : String(price ?? ""), key, source];
  }
}
