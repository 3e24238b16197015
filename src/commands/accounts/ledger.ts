import { type Command, Option } from "commander";
import { describeTime } from "../keys/describe-key.ts";
import { formatTable, formatUsd } from "../format.ts";
import { configOption, type ConfigOptions, positiveNumber } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { accountId, shortText, unknownAccount } from "./account-options.ts";
import { entryView } from "../../billing/accounts/account-view.ts";

const usualLimit = 50;
const maxLimit = 1_000;

interface LedgerOptions extends ConfigOptions {
  readonly limit?: number;
  readonly after?: string;
  readonly json?: boolean;
}

/** `tollgate accounts ledger`: lists the entries of an account, newest first. */
export function addShowLedger(accounts: Command): void {
  accounts
    .command("ledger")
    .description("List the entries of an account, newest first")
    .argument("<id>", "the id of the account", accountId)
    .addOption(
      new Option("--limit <n>", `entries to list, at most ${maxLimit} (default: ${usualLimit})`).argParser(
        positiveNumber,
      ),
    )
    .addOption(new Option("--after <entry>", "list those older than this entry").argParser(shortText))
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (id: string, _options: unknown, command: Command) => {
      await showLedger(id, command.optsWithGlobals<LedgerOptions>());
    });
}

async function showLedger(id: string, options: LedgerOptions): Promise<void> {
  const limit = Math.min(options.limit ?? usualLimit, maxLimit);
  const found = await withStorage(options, async ({ accounts }) => {
    if ((await accounts.find(id)) === null) throw unknownAccount(id);
    return accounts.entries(id, { limit: limit + 1, after: options.after ?? null });
  });
  const entries = found.slice(0, limit);
  const next = found.length > limit ? (entries.at(-1)?.id ?? null) : null;
  if (options.json === true) {
    console.log(JSON.stringify({ object: "list", data: entries.map(entryView), has_more: next !== null, next }));
    return;
  }
  if (entries.length === 0) return console.log("There are no entries.");
  const rows = entries.map((entry) => [
    describeTime(entry.createdAt),
    entry.kind,
    formatUsd(entry.amountMicrousd),
    entry.requestId ?? entry.note ?? "",
    entry.id,
  ]);
  console.log(formatTable([["CREATED (UTC)", "KIND", "USD", "FOR", "ID"], ...rows], [2]));
  if (next !== null) console.log(`More: tollgate accounts ledger ${id} --after ${next}`);
}
