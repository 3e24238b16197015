import { Argument, type Command } from "commander";
import type { ApiKey } from "../../access/key.ts";
import { keyStatus, keyView } from "../../access/key-view.ts";
import { systemClock } from "../../clock.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { describeLimits, describeScopes, describeTags, describeTime } from "./describe-key.ts";
import { keyId, unknownKey } from "./key-options.ts";

interface ShowOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate keys show`: shows one key, without its secret. */
export function addShowKey(keys: Command): void {
  keys
    .command("show")
    .description("Show an API key, without its secret")
    .addArgument(new Argument("<id>", "the key's ID, as `tollgate keys list` shows it").argParser(keyId))
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  tollgate keys show 0123456789")
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ShowOptions>();
      const key = await withStorage(options, async (storage) => storage.keys.find(id));
      if (key === null) throw unknownKey(id);
      printKey(key, options.json === true);
    });
}

/** Prints a key without its secret. */
export function printKey(key: ApiKey, isJson: boolean): void {
  const now = systemClock.now();
  if (isJson) {
    console.log(JSON.stringify(keyView(key, now)));
    return;
  }
  console.log(`ID:       ${key.id}`);
  console.log(`Name:     ${key.name}`);
  console.log(`Status:   ${keyStatus(key, now)}`);
  console.log(`Account:  ${key.accountId}`);
  console.log(`May use:  ${describeScopes(key)}`);
  console.log(`Limits:   ${describeLimits(key)}`);
  console.log(`Tags:     ${describeTags(key)}`);
  console.log(`Created:  ${describeTime(key.createdAt)} UTC`);
  console.log(`Expires:  ${key.expiresAt === null ? "never" : `${describeTime(key.expiresAt)} UTC`}`);
}
