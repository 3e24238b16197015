import { type Command, Option } from "commander";
import {
  type BudgetPeriod,
  budgetPeriods,
  type BudgetSelector,
  type BudgetSubject,
  budgetSubjects,
} from "../../billing/budgets/budget.ts";
import { budgetView } from "../../billing/budgets/budget-view.ts";
import { systemClock } from "../../clock.ts";
import type { Storage } from "../../storage/storage.ts";
import { accountId, shortText, unknownAccount } from "../accounts/account-options.ts";
import { CommandFailure } from "../exit-codes.ts";
import { keyId, unknownKey } from "../keys/key-options.ts";
import { operator } from "../operator.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { budgetAmount, budgetTag, percentages, timeZone } from "./budget-options.ts";

interface SetOptions extends ConfigOptions {
  readonly key?: string;
  readonly account?: string;
  readonly model?: string;
  readonly tag?: NonNullable<BudgetSelector["tag"]>;
  readonly endUser?: string;
  readonly session?: string;
  readonly each?: BudgetSubject;
  /** Micro-USD. */
  readonly usd: number;
  readonly per: BudgetPeriod;
  readonly timeZone: string;
  readonly soft?: boolean;
  readonly notify?: readonly number[];
  readonly json?: boolean;
}

/** `tollgate budgets set`: sets a budget. */
export function addSetBudget(budgets: Command): void {
  budgets
    .command("set")
    .description("Set a budget")
    .option("--key <id>", "only requests of this key", keyId)
    .addOption(new Option("--account <id>", "only requests of this account's keys").argParser(accountId))
    .addOption(
      new Option("--model <name>", "only requests for this name, or served by this model").argParser(shortText),
    )
    .addOption(new Option("--tag <name=value>", "only requests with this tag").argParser(budgetTag))
    .addOption(new Option("--end-user <id>", "only requests for this end user").argParser(shortText))
    .addOption(new Option("--session <id>", "only requests of this session").argParser(shortText))
    .addOption(new Option("--each <what>", "the amount is for each of these").choices(budgetSubjects))
    .addOption(
      new Option("--usd <amount>", "the amount; 0 blocks everything").argParser(budgetAmount).makeOptionMandatory(),
    )
    .addOption(new Option("--per <period>", "how long it lasts").choices(budgetPeriods).makeOptionMandatory())
    .addOption(
      new Option("--time-zone <zone>", "whose calendar days, weeks and months are of")
        .argParser(timeZone)
        .default("UTC"),
    )
    .option("--soft", "serve requests beyond it, with a warning (default: refuse them)")
    .addOption(
      new Option("--notify <percentages>", "write an event at each of these, such as 80,95").argParser(percentages),
    )
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (_options: unknown, command: Command) => set(command.optsWithGlobals<SetOptions>()));
}

async function set(options: SetOptions): Promise<void> {
  const { setBudget } = await import("../../billing/budgets/set-budget.ts");
  const { tag = null, model = null, endUser = null, session = null, each = null, per } = options;
  const budget = await withStorage(options, async (storage) => {
    const selector = { ...(await ownerOf(storage, options)), tag, model, endUser, session };
    const kind = options.soft === true ? "soft" : "hard";
    const notify = options.notify ?? [];
    const wish = {
      ...selector,
      each,
      amountMicrousd: options.usd,
      per,
      timeZone: options.timeZone,
      kind,
      notify,
    } as const;
    return setBudget(storage.budgets, wish, systemClock.now(), operator());
  });
  const { describeBudget } = await import("../../billing/budgets/describe-budget.ts");
  console.log(options.json === true ? JSON.stringify(budgetView(budget)) : `${budget.id}: ${describeBudget(budget)}`);
}

/** The key and account of a budget, which exist. The account of a key is its budget's too. */
async function ownerOf(
  { keys, accounts }: Storage,
  { key, account }: SetOptions,
): Promise<Pick<BudgetSelector, "accountId" | "keyId">> {
  if (account !== undefined && (await accounts.find(account)) === null) throw unknownAccount(account);
  if (key === undefined) return { accountId: account ?? null, keyId: null };
  const found = await keys.find(key);
  if (found === null) throw unknownKey(key);
  if (account !== undefined && found.accountId !== account) {
    throw new CommandFailure(`the key ${key} is of the account ${found.accountId}, not ${account}`);
  }
  return { accountId: found.accountId, keyId: key };
}
