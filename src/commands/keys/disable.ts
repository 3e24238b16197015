import { Argument, type Command } from "commander";
import { systemClock } from "../../clock.ts";
import { keyView } from "../../access/key-view.ts";
import { keyId, unknownKey } from "./key-options.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { operator } from "../operator.ts";
import { withStorage } from "../with-storage.ts";

interface DisableOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate keys disable`: disables a key. */
export function addDisableKey(keys: Command): void {
  keys
    .command("disable")
    .alias("revoke")
    .description("Disable an API key at once and keep its records")
    .addArgument(new Argument("<id>", "the key's ID, as `tollgate keys list` shows it").argParser(keyId))
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  tollgate keys disable 0123456789")
    .action(async (id: string, _options: unknown, command: Command) => {
      await disable(id, command.optsWithGlobals<DisableOptions>());
    });
}

async function disable(id: string, options: DisableOptions): Promise<void> {
  const { disableKey } = await import("../../access/manage.ts");
  const found = await withStorage(options, (storage) => disableKey(storage.keys, id, systemClock, operator()));
  if (found === null) throw unknownKey(id);
  const shown =
    options.json === true ? JSON.stringify(keyView(found, systemClock.now())) : `The key ${id} is disabled.`;
  console.log(shown);
}
