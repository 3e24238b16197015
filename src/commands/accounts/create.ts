import { type Command, Option } from "commander";
import { systemClock } from "../../clock.ts";
import { CommandFailure } from "../exit-codes.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { accountId, markupPercent, shortText } from "./account-options.ts";
import { accountView } from "../../billing/accounts/account-view.ts";
import { describeAccount } from "./describe-account.ts";
import { addTagOptions, type TagOptions, tagPolicyOf } from "./tag-options.ts";
import { operator } from "../operator.ts";

interface CreateOptions extends ConfigOptions, TagOptions {
  readonly name?: string;
  readonly prepaid?: boolean;
  /** Hundredths of a percent. */
  readonly markupPercent?: number;
  readonly json?: boolean;
}

/** `tollgate accounts create`: creates an account. */
export function addCreateAccount(accounts: Command): void {
  const command = accounts
    .command("create")
    .description("Create an account")
    .argument("<id>", "the id of the account", accountId)
    .addOption(new Option("--name <name>", "a name (default: the id)").argParser(shortText))
    .option("--prepaid", "refuse requests that the balance does not cover (default: unlimited)")
    .addOption(
      new Option("--markup-percent <percent>", "added to every charge as a line of its own; may be negative").argParser(
        markupPercent,
      ),
    );
  addTagOptions(command)
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (id: string, _options: unknown, own: Command) => {
      await create(id, own.optsWithGlobals<CreateOptions>());
    });
}

async function create(id: string, options: CreateOptions): Promise<void> {
  const { checkAccount } = await import("../../billing/accounts/account.ts");
  const { problemOfPolicy } = await import("../../attribution/tag-policy.ts");
  const account = {
    id,
    name: options.name ?? id,
    mode: options.prepaid === true ? "prepaid" : "unlimited",
    markupBasisPoints: options.markupPercent ?? 0,
    createdAt: systemClock.now(),
  } as const;
  checkAccount(account);
  const policy = tagPolicyOf(options);
  const problem = policy && problemOfPolicy(policy);
  if (problem !== null) throw new CommandFailure(`invalid tags: ${problem}`);
  await withStorage(options, async ({ accounts, tagPolicies }) => {
    if (!(await accounts.create(account, operator()))) throw new CommandFailure(`the account ${id} exists already`);
    if (policy !== null) await tagPolicies.set(id, policy, operator());
  });
  const nothing = { balanceMicrousd: 0, heldMicrousd: 0, durablyHeldMicrousd: 0, leasedMicrousd: 0 };
  const made = { account, ...nothing };
  console.log(
    options.json === true ? JSON.stringify({ ...accountView(made), tags: policy }) : describeAccount(made, policy),
  );
}
