import type { Command } from "commander";
import { formatTable, formatUsd } from "../format.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { accountId, unknownAccount } from "./account-options.ts";
import { accountView } from "../../billing/accounts/account-view.ts";
import { describeAccount } from "./describe-account.ts";

interface ShowOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate accounts list`: lists all accounts with their balances. */
export function addListAccounts(accounts: Command): void {
  accounts
    .command("list")
    .description("List the accounts with their balances")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (_options: unknown, command: Command) => list(command.optsWithGlobals<ShowOptions>()));
}

/** `tollgate accounts show`: shows one account. */
export function addShowAccount(accounts: Command): void {
  accounts
    .command("show")
    .description("Show an account: its balance, what is held, what is available")
    .argument("<id>", "the id of the account", accountId)
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (id: string, _options: unknown, command: Command) => {
      await show(id, command.optsWithGlobals<ShowOptions>());
    });
}

async function list(options: ShowOptions): Promise<void> {
  const found = await withStorage(options, ({ accounts }) => accounts.list());
  if (options.json === true) {
    console.log(JSON.stringify({ object: "list", data: found.map(accountView) }));
    return;
  }
  const rows = found.map(({ account, balanceMicrousd, heldMicrousd }) => [
    account.id,
    account.name,
    account.mode,
    formatUsd(balanceMicrousd),
    formatUsd(heldMicrousd),
    formatUsd(balanceMicrousd - heldMicrousd),
  ]);
  console.log(formatTable([["ID", "NAME", "MODE", "BALANCE", "HELD", "AVAILABLE (USD)"], ...rows], [3, 4, 5]));
}

async function show(id: string, options: ShowOptions): Promise<void> {
  const { shown, policy } = await withStorage(options, async ({ accounts, tagPolicies }) => {
    const [account, balance, policy] = await Promise.all([
      accounts.find(id),
      accounts.balance(id),
      tagPolicies.find(id),
    ]);
    if (account === null || balance === null) throw unknownAccount(id);
    return { shown: { account, ...balance }, policy };
  });
  console.log(
    options.json === true ? JSON.stringify({ ...accountView(shown), tags: policy }) : describeAccount(shown, policy),
  );
}
