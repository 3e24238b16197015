import { type Command, Option } from "commander";
import type { NewEntry } from "../../billing/accounts/account-store.ts";
import { systemClock } from "../../clock.ts";
import { CommandFailure } from "../exit-codes.ts";
import { formatUsd } from "../format.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { accountId, shortText, unknownAccount, usdAmount } from "./account-options.ts";
import { entryView } from "../../billing/accounts/account-view.ts";
import { operator } from "../operator.ts";

const help = `
With an idempotency key the amount is booked once, however often the command is run.

Examples:
  tollgate accounts credit team-a --usd 25 --note "invoice 17" --idempotency-key invoice-17
  tollgate accounts debit team-a --usd 0.5 --note "correction"`;

interface PostOptions extends ConfigOptions {
  /** Micro-USD. */
  readonly usd: number;
  readonly note?: string;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

/** `tollgate accounts credit`, `tollgate accounts debit`: change a balance by an entry of its ledger. */
export function addPostEntry(accounts: Command, name: "credit" | "debit"): void {
  accounts
    .command(name)
    .description(name === "credit" ? "Add to the balance of an account" : "Take from the balance of an account")
    .argument("<id>", "the id of the account", accountId)
    .addOption(new Option("--usd <amount>", "the amount, such as 25 or 0.5").makeOptionMandatory().argParser(usdAmount))
    .addOption(new Option("--note <text>", "what it is for, kept in the ledger").argParser(shortText))
    .addOption(new Option("--idempotency-key <key>", "books the amount once").argParser(shortText))
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<PostOptions>();
      const signed = name === "credit" ? options.usd : -options.usd;
      await post(id, name === "credit" ? "credit" : "adjustment", signed, options);
    });
}

async function post(id: string, kind: NewEntry["kind"], amountMicrousd: number, options: PostOptions): Promise<void> {
  const { postAmount } = await import("../../billing/accounts/post-amount.ts");
  const { idempotencyKey = null, note = null } = options;
  const entry = { accountId: id, kind, amountMicrousd, idempotencyKey, note, by: operator() };
  const posted = await withStorage(options, ({ accounts }) => postAmount(accounts, entry, systemClock));
  if (posted.kind === "unknown_account") throw unknownAccount(id);
  const { balance } = posted;
  const available = formatUsd(balance.balanceMicrousd - balance.heldMicrousd);
  if (!("entry" in posted)) {
    throw new CommandFailure(
      posted.kind === "overflow"
        ? `the balance of the account ${id} would be too large`
        : `only ${available} USD of the account ${id} are available, and a prepaid balance cannot be negative`,
    );
  }
  if (posted.kind === "conflict") {
    const { kind: other, amountMicrousd: amount } = posted.entry;
    throw new CommandFailure(`this idempotency key was used for another entry: ${other} ${formatUsd(amount)} USD`);
  }
  const isRepeated = posted.kind === "repeated";
  if (options.json === true) {
    const view = { ...entryView(posted.entry), repeated: isRepeated, balance_microusd: balance.balanceMicrousd };
    console.log(JSON.stringify(view));
    return;
  }
  const what = isRepeated ? "Booked before, nothing changed" : "Booked";
  console.log(`${what}: ${posted.entry.kind} of ${formatUsd(posted.entry.amountMicrousd)} USD (${posted.entry.id})`);
  console.log(`Balance: ${formatUsd(balance.balanceMicrousd)} USD, available: ${available} USD`);
}
