import type { Command } from "commander";
import { removeRoute } from "../routing/stored/change-routes.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { changeTools } from "./route-tools.ts";
import { withStorage } from "./with-storage.ts";

/** `tollgate routes remove`: a stored route is gone from running gateways within a second. */
export function addRemoveRoute(routes: Command): void {
  routes
    .command("remove")
    .description("Remove a route from the storage")
    .argument("<id>", "the route's name, as `tollgate routes list` shows it")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  tollgate routes remove fast")
    .action(async (id: string, _options: unknown, command: Command) => {
      await remove(id, command.optsWithGlobals<ConfigOptions>());
    });
}

async function remove(id: string, options: ConfigOptions): Promise<void> {
  await withStorage(options, (storage, config) => removeRoute(changeTools(storage, config), id));
  console.log(`The route ${id} is removed. Running gateways follow within a second.`);
}
