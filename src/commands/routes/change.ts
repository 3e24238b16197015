import { type Command, Option } from "commander";
import { systemClock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { routeReader } from "../../config/routes/route-reader.ts";
import { GatewayError } from "../../errors.ts";
import { type ChangeTools, isAmong, putRoute, removeRoute } from "../../routing/stored/change-routes.ts";
import type { Storage } from "../../storage/storage.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { operator } from "../operator.ts";
import { readJsonFile } from "../read-json-file.ts";
import { withStoredCatalog } from "../stored-catalog.ts";
import { withStorage } from "../with-storage.ts";

const help = `
The file has the format of a route in the configuration, without its id, as JSON:
  {"strategy": "priority", "targets": ["gpt-5-mini", {"model": "claude-haiku", "weight": 2}], "hedge_after_ms": 1500}

Examples:
  tollgate routes set fast --alias gpt-5-mini
  tollgate routes set resilient --file route.json
  echo '{"targets": ["a", "b"]}' | tollgate routes set either --file -`;

interface SetOptions extends ConfigOptions {
  readonly alias?: string;
  readonly file?: string;
  readonly json?: boolean;
}

/** `tollgate routes set`: creates or replaces a stored route. */
export function addSetRoute(routes: Command): void {
  routes
    .command("set")
    .description("Create or replace a route in the storage")
    .argument("<id>", "the name of the route")
    .addOption(new Option("--alias <name>", "the model or route that it is an alias of").conflicts("file"))
    .option("--file <file>", "the route as JSON (- for standard input)")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetOptions>();
      if (options.alias === undefined && options.file === undefined) {
        command.error("error: missing option: --alias <name> or --file <file>", {
          exitCode: exitCodes.usage,
        });
      }
      await set(id, options);
    });
}

async function set(id: string, options: SetOptions): Promise<void> {
  const value = options.file === undefined ? { alias: options.alias } : await readJsonFile(options.file);
  const put = withStorage(options, async (storage, config) => putRoute(await changeTools(storage, config), id, value));
  const route = await put.catch((error: unknown) => {
    const isInvalid = error instanceof GatewayError && error.type === "invalid_request_error";
    throw isInvalid ? new CommandFailure(error.message, exitCodes.usage) : error;
  });
  if (options.json === true) {
    const { routeView } = await import("../../routing/stored/route-view.ts");
    return console.log(JSON.stringify(routeView({ ...route, source: "storage", line: null, problem: null })));
  }
  console.log(`The route ${id} is set. Running gateways apply this within a second.`);
}

interface RemoveOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate routes remove`: removes a stored route. */
export function addRemoveRoute(routes: Command): void {
  routes
    .command("remove")
    .description("Remove a route from the storage")
    .argument("<id>", "the name of the route, as shown by `tollgate routes list`")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  tollgate routes remove fast")
    .action(async (id: string, _options: unknown, command: Command) => {
      await remove(id, command.optsWithGlobals<RemoveOptions>());
    });
}

async function remove(id: string, options: RemoveOptions): Promise<void> {
  await withStorage(options, async (storage, config) => removeRoute(await changeTools(storage, config), id));
  console.log(
    options.json === true
      ? JSON.stringify({ id, object: "route", deleted: true })
      : `The route ${id} is removed. Running gateways apply this within a second.`,
  );
}

/** The tools to change stored routes, for this configuration. */
async function changeTools(storage: Storage, config: Config): Promise<ChangeTools> {
  const { models } = await withStoredCatalog(storage, config);
  return {
    store: storage.routes,
    clock: systemClock,
    read: routeReader(config, () => models),
    isModel: isAmong(models),
    isConfigured: isAmong(config.routes),
    by: operator(),
  };
}
