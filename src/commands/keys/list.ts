import type { Command } from "commander";
import { systemClock } from "../../clock.ts";
import { keyStatus, keyView } from "../../access/key-view.ts";
import { describeLimits, describeScopes, describeTags, describeTime } from "./describe-key.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { formatTable } from "../format.ts";
import { withStorage } from "../with-storage.ts";

interface ListOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate keys list`: lists all keys, without their secrets. */
export function addListKeys(keys: Command): void {
  keys
    .command("list")
    .description("List the API keys, without their secrets")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExamples:\n  tollgate keys list\n  tollgate keys list --json")
    .action(async (_options: unknown, command: Command) => list(command.optsWithGlobals<ListOptions>()));
}

async function list(options: ListOptions): Promise<void> {
  const keys = await withStorage(options, (storage) => storage.keys.list());
  const now = systemClock.now();
  if (options.json === true) {
    console.log(JSON.stringify({ object: "list", data: keys.map((key) => keyView(key, now)) }));
    return;
  }
  if (keys.length === 0) {
    console.log("There are no keys. Create one: tollgate keys create --name NAME");
    return;
  }
  const rows = keys.map((key) => [
    key.id,
    key.name,
    keyStatus(key, now),
    describeScopes(key),
    describeLimits(key),
    key.accountId,
    describeTime(key.createdAt),
    key.expiresAt === null ? "never" : describeTime(key.expiresAt),
    describeTags(key),
  ]);
  console.log(
    formatTable([
      ["ID", "NAME", "STATUS", "MAY USE", "LIMITS", "ACCOUNT", "CREATED (UTC)", "EXPIRES (UTC)", "TAGS"],
      ...rows,
    ]),
  );
}
