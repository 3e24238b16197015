import { Argument, type Command } from "commander";
import { systemClock } from "../../clock.ts";
import { keyId, unknownKey } from "./key-options.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { operator } from "../operator.ts";
import { withStorage } from "../with-storage.ts";

/** `tollgate keys disable`: disables a key. */
export function addDisableKey(keys: Command): void {
  keys
    .command("disable")
    .description("Disable an API key at once and keep its records")
    .addArgument(new Argument("<id>", "the key's ID, as `tollgate keys list` shows it").argParser(keyId))
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  tollgate keys disable 0123456789")
    .action(async (id: string, _options: unknown, command: Command) => {
      await disable(id, command.optsWithGlobals<ConfigOptions>());
    });
}

async function disable(id: string, options: ConfigOptions): Promise<void> {
  const { disableKey } = await import("../../access/manage.ts");
  const found = await withStorage(options, (storage) => disableKey(storage.keys, id, systemClock, operator()));
  if (found === null) throw unknownKey(id);
  console.log(`The key ${id} is disabled.`);
}
