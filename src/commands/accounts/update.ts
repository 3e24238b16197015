import type { Command } from "commander";
import { CommandFailure } from "../exit-codes.ts";
import { operator } from "../operator.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { accountId, unknownAccount } from "./account-options.ts";
import { addTagOptions, describePolicy, type TagOptions, tagPolicyOf } from "./tag-options.ts";

const help = `
The tags are set as a whole: what is not given again is no longer required, or has any value. Running gateways take it up
within a second.

Examples:
  tollgate accounts update team-a --require-tag team --allow-tag env=prod,staging
  tollgate accounts update team-a --no-tags`;

interface UpdateOptions extends ConfigOptions, TagOptions {
  /** False if `--no-tags` was given. */
  readonly tags: boolean;
  readonly json?: boolean;
}

/** `tollgate accounts update`: sets which tags the requests of an account must have. */
export function addUpdateAccount(accounts: Command): void {
  const command = accounts
    .command("update")
    .description("Set which tags the requests of an account must have, and their values")
    .argument("<id>", "the id of the account", accountId);
  addTagOptions(command)
    .option("--no-tags", "require no tags, and allow all values")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (id: string, _options: unknown, own: Command) => {
      await update(id, own.optsWithGlobals<UpdateOptions>());
    });
}

async function update(id: string, options: UpdateOptions): Promise<void> {
  const { problemOfPolicy } = await import("../../attribution/tag-policy.ts");
  const policy = tagPolicyOf(options);
  if ((policy === null) === options.tags) {
    throw new CommandFailure("give --require-tag or --allow-tag, or else --no-tags");
  }
  const problem = policy && problemOfPolicy(policy);
  if (problem !== null) throw new CommandFailure(`invalid tags: ${problem}`);
  await withStorage(options, async ({ accounts, tagPolicies }) => {
    if ((await accounts.find(id)) === null) throw unknownAccount(id);
    await tagPolicies.set(id, policy, operator());
  });
  if (options.json === true) console.log(JSON.stringify({ object: "account", id, tags: policy }));
  else console.log(`Tags of the account ${id}: ${describePolicy(policy)}`);
}
